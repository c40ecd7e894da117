// SPDX-License-Identifier: Apache-2.0
// The training step of the digits example on 8 devices, data=4 x model=2, batch 256. bench/digits_peer.py is
// the same in JAX.
#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>
#include <vector>

#include "bench/processors.hpp"
#include "examples/digits_model.hpp"
#include "examples/support/digits_data.hpp"
#include "examples/support/random.hpp"

#include "tutti/base/inside.hpp"

namespace {

using namespace digits;
using examples::Random;

constexpr std::int64_t hidden = 128, batch_size = 256;

Params random_params(Random& random) {
  return {random.uniform({64, hidden}, 0.3), random.uniform({hidden}, 0.3), random.uniform({hidden, 10}, 0.3),
          random.uniform({10}, 0.3)};
}

Batch random_batch(Random& random) {
  Tensor labels({batch_size}, DType::i32);
  for (std::int64_t i = 0; i < batch_size; ++i)
    labels.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(i % 10);
  return {random.uniform({batch_size, 64}, 1), labels};
}

// The parameters stay on the devices from call to call; the batch lies there already.
void step_on(benchmark::State& state, const Mesh& mesh, int workers) {
  Machine machine = open_local(mesh, {.workers = workers});
  Random random(1);
  Params params = random_params(random), momentum = random_params(random);
  Batch batch = random_batch(random);
  auto place =
      shard_map([](const Array& images, const Array& labels) { return Batch{images * 1.0F, labels * 1}; },
                {.mesh = mesh, .in = P("data"), .out = P("data")});
  batch = machine.compile(place, batch.images, batch.labels)(batch.images, batch.labels);
  auto train = machine.compile(sharded_step(mesh), params, momentum, batch);
  Array loss;
  for (auto _ : state)
    std::tie(loss, params, momentum) = train(std::move(params), std::move(momentum), batch);
}

void digits_step(benchmark::State& state) {
  step_on(state, Mesh({{"data", 4}, {"model", 2}}), static_cast<int>(state.range(0)));
}
BENCHMARK(digits_step)->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);

// Threads that want all of a processor each: the last ones first.
class Competitors {
 public:
  explicit Competitors(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { compete(i); });
  }
  ~Competitors() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Competitors(const Competitors&) = delete;
  Competitors& operator=(const Competitors&) = delete;

 private:
  void compete(int index) const {
    const std::vector<int> usable = tutti::bench::usable_processors();
    if (index < std::ssize(usable)) tutti::bench::bind_to_processor(usable.end()[-1 - index]);
    while (!done_) {
    }
  }
  std::atomic<bool> done_{false};
  std::vector<std::thread> threads_;
};

// On two workers; each competitor takes half of a processor.
void digits_step_in_company(benchmark::State& state) {
  Competitors competitors(static_cast<int>(state.range(0)));
  step_on(state, Mesh({{"data", 4}, {"model", 2}}), 2);
}
BENCHMARK(digits_step_in_company)
    ->ArgName("competitors")
    ->DenseRange(0, 2)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

void digits_compile(benchmark::State& state) {
  Mesh mesh({{"data", 4}, {"model", 2}});
  Machine machine = open_local(mesh);
  Random random(1);
  Params params = random_params(random);
  Batch batch = random_batch(random);
  for (auto _ : state) benchmark::DoNotOptimize(machine.compile(sharded_step(mesh), params, params, batch));
}
BENCHMARK(digits_compile)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
