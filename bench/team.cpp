// SPDX-License-Identifier: Apache-2.0
// The time to hand work to the team, and the cost of the team while it has none.
#include "tutti/devices/team.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <ctime>
#include <thread>

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;

void hand_off(benchmark::State& state) {
  Team team(2, Team::Use::always);
  for (auto _ : state) team.run([](void*, int) {}, nullptr);
}
BENCHMARK(hand_off)->UseRealTime();

void thousand_barriers(benchmark::State& state) {
  Team team(2, Team::Use::always);
  auto meet = [](void* context, int worker) {
    for (int i = 0; i < 1000; ++i) static_cast<Team*>(context)->barrier(worker);
  };
  for (auto _ : state) team.run(meet, &team);
}
BENCHMARK(thousand_barriers)->UseRealTime()->Unit(benchmark::kMicrosecond);

void hand_off_to_a_sleeper(benchmark::State& state) {
  Team team(2, Team::Use::always);
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Clock::time_point start = Clock::now();
    team.run([](void*, int) {}, nullptr);
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
  }
}
BENCHMARK(hand_off_to_a_sleeper)->UseManualTime()->Iterations(200)->Unit(benchmark::kMicrosecond);

double processor_ms() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return 1e3 * static_cast<double>(used.tv_sec) + 1e-6 * static_cast<double>(used.tv_nsec);
}

// Processor time of the whole process, the spinning after the last piece of work included.
void idle_second(benchmark::State& state) {
  Team team(2, Team::Use::always);
  team.run([](void*, int) {}, nullptr);
  double before = processor_ms();
  for (auto _ : state) std::this_thread::sleep_for(std::chrono::seconds(1));
  state.counters["processor_ms"] = processor_ms() - before;
}
BENCHMARK(idle_second)->UseRealTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tutti
