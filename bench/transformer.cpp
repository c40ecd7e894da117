// SPDX-License-Identifier: Apache-2.0
// The training step of the transformer example on 8 devices, data=4 x model=2: 12 layers, batch 32, context
// 32; bench/transformer_peer.py is the same in JAX.
#include <benchmark/benchmark.h>

#include "examples/support/transformer_start.hpp"

namespace {

using namespace transformer;

const Mesh mesh({{"data", 4}, {"model", 2}});

Params<std::vector<Layer>> unrolled() { return unrolled_start({}, 1); }
Params<Layer> scanned() { return stacked(unrolled()); }

Batch some_batch() {
  Tensor seen({32, 32}, DType::i32), next = seen;
  for (std::int64_t i = 0; i < seen.elements(); ++i) {
    seen.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(i * 7 % 96);
    next.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>((i + 1) * 7 % 96);
  }
  return {seen, next};
}

// The parameters stay on the devices, in their memory, from call to call.
template <class Layers>
void step_from(benchmark::State& state, Params<Layers> params) {
  Machine machine = open_local(mesh, {.workers = static_cast<int>(state.range(0))});
  Params<Layers> momentum = zeros_like_tree(params);
  Batch batch = some_batch();
  auto train = machine.compile(sharded_step(mesh, params), params, momentum, batch);
  Array loss;
  auto step = [&] {
    std::tie(loss, params, momentum) = train(std::move(params), std::move(momentum), batch);
  };
  for (int warm_up = 0; warm_up < 3; ++warm_up) step();  // the first one takes up to 0.3 s: fresh memory
  for (auto _ : state) step();
}

void transformer_step(benchmark::State& state) { step_from(state, unrolled()); }
BENCHMARK(transformer_step)->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void transformer_scan_step(benchmark::State& state) { step_from(state, scanned()); }
BENCHMARK(transformer_scan_step)
    ->ArgName("workers")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

template <class Layers>
void compile_for(benchmark::State& state, const Params<Layers>& params) {
  Machine machine = open_local(mesh);
  Batch batch = some_batch();
  for (auto _ : state)
    benchmark::DoNotOptimize(machine.compile(sharded_step(mesh, params), params, params, batch));
}

void transformer_compile(benchmark::State& state) { compile_for(state, unrolled()); }
BENCHMARK(transformer_compile)->UseRealTime()->Unit(benchmark::kMillisecond);

void transformer_scan_compile(benchmark::State& state) { compile_for(state, scanned()); }
BENCHMARK(transformer_scan_compile)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
