// SPDX-License-Identifier: Apache-2.0
// Loops of small bodies on 8 devices of 8 floats: a trip is at most 0.3 us (five steps of 40 ns and the
// loop).
#include <benchmark/benchmark.h>

#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace {

using namespace tutti;

constexpr int trips = 10'000;
const Mesh mesh({{"x", 8}});

Array link(const Array& x) { return x * 0.5F + psum(x, "x") * 0.0625F; }

void run(benchmark::State& state, Array (*body)(const Array&)) {
  Machine machine = open_local(mesh, {.workers = static_cast<int>(state.range(0))});
  Array x = Tensor(Shape{8, 8}, DType::f32);
  auto loop = machine.compile(shard_map(body, {.mesh = mesh, .in = P("x"), .out = P("x")}), x);
  for (auto _ : state) benchmark::DoNotOptimize(loop(x));
  state.SetItemsProcessed(state.iterations() * trips);
}

void known_length(benchmark::State& state) {
  run(state, [](const Array& x) {
    return fori_loop(0, trips, [](const Array&, const Array& c) { return link(c); }, x);
  });
}
BENCHMARK(known_length)->Arg(1)->Arg(2);

void unknown_length(benchmark::State& state) {
  run(state, [](const Array& x) {
    using Carry = std::pair<Array, Array>;
    auto goes_on = [](const Carry& c) { return c.first < trips; };
    auto trip = [](const Carry& c) { return Carry{c.first + 1, link(c.second)}; };
    return while_loop(goes_on, trip, Carry{zeros({}, DType::i32), x}).second;
  });
}
BENCHMARK(unknown_length)->Arg(1)->Arg(2);

}  // namespace
