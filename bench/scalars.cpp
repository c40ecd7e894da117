// SPDX-License-Identifier: Apache-2.0
// The time of one small equation: 1,000 dependent scalar equations on 8 devices.
#include <benchmark/benchmark.h>

#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace {

using namespace tutti;

constexpr int equations = 1000;

// x <- x * a + b, 500 times.
Array chain(const Array& x, const Array& a, const Array& b) {
  Array y = x;
  for (int i = 0; i < equations / 2; ++i) y = y * a + b;
  return y;
}

void scalar_equations(benchmark::State& state) {
  Mesh mesh({{"x", 8}});
  Machine machine = open_local(mesh);
  Array x = Tensor(Shape{8}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  Array a = Tensor::scalar(0.5F), b = Tensor::scalar(1.0F);
  auto body = [](const Array& part, const Array& scale, const Array& offset) {
    return reshape(chain(reshape(part, Shape{}), scale, offset), Shape{1});
  };
  auto run =
      machine.compile(shard_map(body, {.mesh = mesh, .in = {P("x"), P(), P()}, .out = P("x")}), x, a, b);
  for (auto _ : state) benchmark::DoNotOptimize(run(x, a, b));
  state.counters["us_per_equation"] =
      benchmark::Counter(equations * 1e-6,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(scalar_equations)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
