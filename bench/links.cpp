// SPDX-License-Identifier: Apache-2.0
// Chains of collectives, and one call of a program that is nothing but a collective, on 8 devices.
#include <benchmark/benchmark.h>

#include "tutti/api/shard_map.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/all_reduce.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/run/executable.hpp"

namespace tutti {
namespace {

template <class F>
Program program_of(const Types& types, const ShardMapOptions& options, const F& body) {
  auto mapped = shard_map(body, options);
  return trace(types, [&](const Arrays& x) { return Arrays{mapped(x[0])}; }).program;
}

Array psum_chain(Array x, int links) {
  for (int i = 0; i < links; ++i) x = x * 0.5 + psum(x, "i") * 0.0625;
  return x;
}

void run(benchmark::State& state, const Program& program, const Mesh& mesh, int workers, int links) {
  Team team(workers);
  Executable executable(program, mesh, team);
  Tensor whole(DType::f32, program.type(program.inputs[0]).shape());
  for (std::int64_t i = 0; i < whole.elements(); ++i)
    whole.mutable_data<float>()[i] = 0.01F * static_cast<float>(i * 37 % 101 - 50);
  Executable::Values inputs{std::make_shared<const GlobalArray>(
      GlobalArray::distributed(whole, {mesh, {{mesh.axes()[0]}}, {}, {}}))};
  for (auto _ : state) benchmark::DoNotOptimize(executable.run(inputs));
  state.counters["us_per_link"] =
      benchmark::Counter(links * 1e-6,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// 100 links x/2 + psum(x)/16, each of `floats` on 8 devices.
void psum_links(benchmark::State& state) {
  Mesh mesh({{"i", 8}});
  Program program = program_of({Type(DType::f32, {8 * state.range(0)})}, {mesh, P("i"), P("i")},
                               [](Array x) { return psum_chain(x, 100); });
  run(state, program, mesh, static_cast<int>(state.range(1)), 100);
}
BENCHMARK(psum_links)
    ->ArgNames({"floats", "workers"})
    ->ArgsProduct({{8, 1024, 16384, 262144}, {1, 2}})
    ->UseRealTime();

void one_psum_call(benchmark::State& state) {
  Mesh mesh({{"i", 8}});
  Program program =
      program_of({Type(DType::f32, {64})}, {mesh, P("i"), P()}, [](Array x) { return psum(x, "i"); });
  run(state, program, mesh, 2, 1);
}
BENCHMARK(one_psum_call);

}  // namespace
}  // namespace tutti
