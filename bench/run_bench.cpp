// SPDX-License-Identifier: Apache-2.0
// What running costs once a program is compiled: long chains of tiny equations, one small call, and a training step.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <tuple>

#include "tutti/api/derivatives.hpp"
#include "tutti/api/shard_map.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/all_reduce.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/composites.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/run/executable.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

using Values = Executable::Values;

Values inputs_of(const Program& program) {
  Values values;
  for (Var var : program.inputs) {
    Tensor tensor(program.type(var).dtype(), program.type(var).shape());
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
      if (tensor.dtype() == DType::f32)
        tensor.mutable_data<float>()[i] = 0.01F * static_cast<float>(i * 37 % 101 - 50);
      else tensor.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(i % 10);
    values.push_back(std::make_shared<const GlobalArray>(tensor));
  }
  return values;
}

template <class F>
Program program_of(const Types& types, const ShardMapOptions& options, const F& body) {
  auto mapped = shard_map(body, options);
  return trace(types, [&](const Arrays& x) { return Arrays{mapped(x[0])}; }).program;
}

Array chain(Array x, int links) {
  for (int i = 0; i < links; ++i) x = x * 0.5 + 0.25;
  return x;
}

Array psum_chain(Array x, int links) {
  for (int i = 0; i < links; ++i) x = x * 0.5 + psum(x, "i") * 0.0625;
  return x;
}

void run(benchmark::State& state, const Program& program, const Mesh& mesh, int workers, bool fuse,
         double equations) {
  Team team(workers);
  Executable executable(program, mesh, team, {.fuse = fuse, .check_races = false});
  Values inputs = inputs_of(program);
  inputs = {inputs.size() == 1
                ? std::make_shared<const GlobalArray>(
                      GlobalArray::distributed(inputs[0]->whole(), {mesh, {{mesh.axes()[0]}}, {}, {}}))
                : nullptr};
  for (auto _ : state) benchmark::DoNotOptimize(executable.run(inputs));
  state.counters["ns_each"] =
      benchmark::Counter(equations * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// 1,000 dependent equations on one number per device.
void scalar_chain(benchmark::State& state) {
  Mesh mesh({{"i", 8}});
  Program program =
      program_of({Type(DType::f32, {8})}, {mesh, P("i"), P("i")}, [](Array x) { return chain(x, 500); });
  run(state, program, mesh, 2, state.range(0) != 0, 1000);
}
BENCHMARK(scalar_chain)->ArgName("fused")->Arg(0)->Arg(1);

/// 100 links x/2 + psum(x)/16, each of `floats` on 8 devices.
void psum_links(benchmark::State& state) {
  Mesh mesh({{"i", 8}});
  Program program = program_of({Type(DType::f32, {8 * state.range(0)})}, {mesh, P("i"), P("i")},
                               [](Array x) { return psum_chain(x, 100); });
  run(state, program, mesh, static_cast<int>(state.range(1)), true, 100);
}
BENCHMARK(psum_links)
    ->ArgNames({"floats", "workers"})
    ->ArgsProduct({{8, 1024, 16384, 262144}, {1, 2}})
    ->UseRealTime();

void one_psum_call(benchmark::State& state) {
  Mesh mesh({{"i", 8}});
  Program program =
      program_of({Type(DType::f32, {64})}, {mesh, P("i"), P()}, [](Array x) { return psum(x, "i"); });
  run(state, program, mesh, 2, true, 1);
}
BENCHMARK(one_psum_call);

struct Params {
  Array w1, b1, w2, b2;
};

Array loss(const Params& p, const Array& images, const Array& labels) {
  Array hidden = relu(matmul(images, p.w1) + p.b1);
  Array logits = psum(matmul(hidden, p.w2), "model") + p.b2;
  return pmean(cross_entropy(logits, labels), "data");
}

/// Forward, backward and momentum of a 64-128-10 network, batch 256, data=4 x model=2.
Program digits_step(const Mesh& mesh) {
  auto step = [](const Params& p, const Params& m, const Array& images, const Array& labels) {
    auto [value, g] = value_and_grad(loss)(p, images, labels);
    auto momentum = [](Array was, Array by) { return was * 0.9 + by; };
    Params next{momentum(m.w1, g.w1), momentum(m.b1, g.b1), momentum(m.w2, g.w2), momentum(m.b2, g.b2)};
    auto update = [](Array was, Array by) { return was - by * 0.1; };
    Params moved{update(p.w1, next.w1), update(p.b1, next.b1), update(p.w2, next.w2), update(p.b2, next.b2)};
    return std::tuple{value, moved, next};
  };
  auto split = Specs{P(none, "model"), P("model"), P("model"), P()};
  auto mapped =
      shard_map(step, {.mesh = mesh, .in = {split, split, P("data"), P("data")}, .out = {P(), split, split}});
  auto f32 = [](Shape shape) { return Type(DType::f32, std::move(shape)); };
  Types types{f32({64, 128}), f32({128}),     f32({128, 10}), f32({10}),      f32({64, 128}),
              f32({128}),     f32({128, 10}), f32({10}),      f32({256, 64}), Type(DType::i32, {256})};
  Program program = trace(types, [&](const Arrays& x) {
                      auto [value, p, m] =
                          mapped(Params{x[0], x[1], x[2], x[3]}, Params{x[4], x[5], x[6], x[7]}, x[8], x[9]);
                      return Arrays{value, p.w1, p.b1, p.w2, p.b2, m.w1, m.b1, m.w2, m.b2};
                    }).program;
  return without_dead_code(without_common_subexpressions(with_early_casts(program)));
}

void digits(benchmark::State& state) {
  Mesh mesh({{"data", 4}, {"model", 2}});
  Program program = digits_step(mesh);
  Team team(static_cast<int>(state.range(0)));
  Executable executable(program, mesh, team, {.fuse = state.range(1) != 0, .check_races = false});
  if (std::getenv("EXPLAIN")) fmt::print("{}{}", to_string(program), executable.explain());
  Values values = inputs_of(program);
  for (auto _ : state) {
    Values results = executable.run(values);
    std::copy(results.begin() + 1, results.end(), values.begin());  // parameters and momenta stay as they lie
  }
}
BENCHMARK(digits)->ArgNames({"workers", "fused"})->ArgsProduct({{1, 2}, {0, 1}})->UseRealTime();

void digits_compile(benchmark::State& state) {
  Mesh mesh({{"data", 4}, {"model", 2}});
  Program program = digits_step(mesh);
  Team team(2);
  for (auto _ : state) Executable(program, mesh, team, {.check_races = false});
}
BENCHMARK(digits_compile)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tutti
