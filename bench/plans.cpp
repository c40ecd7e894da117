// SPDX-License-Identifier: Apache-2.0
// The time to find a plan from one sharding to another: the mean over pairs drawn from all
// shardings.
#include <benchmark/benchmark.h>

#include "tutti/base/inside.hpp"
#include "tutti/plan/plan.hpp"

namespace {

using namespace tutti;

/// Adds `sharding` and all that have more of the axes `left` in dims from `dim` on.
void add_finer(const Sharding& sharding, std::size_t dim, const Axes& left, std::vector<Sharding>& found) {
  if (dim == sharding.dims.size()) return found.push_back(sharding);
  add_finer(sharding, dim + 1, left, found);
  for (const Axis& axis : left) {
    Sharding more = sharding;
    more.dims[dim].push_back(axis);
    add_finer(more, dim, without(left, axis), found);
  }
}

std::vector<PlanRequest> requests(const Mesh& mesh, const Shape& shape, std::size_t one_in) {
  std::vector<Sharding> all;
  add_finer(unsharded(mesh, shape.rank()), 0, mesh.axes(), all);
  std::vector<PlanRequest> found;
  for (std::size_t i = 0; i < all.size() * all.size(); i += one_in)
    found.push_back({Type(DType::f32, shape), all[i / all.size()], all[i % all.size()]});
  return found;
}

void plan_each(benchmark::State& state, const std::vector<PlanRequest>& all) {
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(plan(all[i++ % all.size()]));
}

void plan_2x2x2_rank_2(benchmark::State& state) {
  plan_each(state, requests(Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), {16, 16}, 1));
}
void plan_2x2x2x2_rank_4(benchmark::State& state) {
  plan_each(state, requests(Mesh({{"x", 2}, {"y", 2}, {"z", 2}, {"w", 2}}), {16, 16, 16, 16}, 9001));
}
void plan_64x64(benchmark::State& state) {
  plan_each(state, requests(Mesh({{"x", 64}, {"y", 64}}), {4096, 4096}, 1));
}
void plan_16x16x16(benchmark::State& state) {
  plan_each(state, requests(Mesh({{"x", 16}, {"y", 16}, {"z", 16}}), {4096, 4096}, 7));
}
void plan_again(benchmark::State& state) {
  const std::vector<PlanRequest> all = requests(Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), {16, 16}, 1);
  shared_plan(all[100]);
  for (auto _ : state) benchmark::DoNotOptimize(shared_plan(all[100]));
}
BENCHMARK(plan_2x2x2_rank_2)->Unit(benchmark::kMicrosecond);
BENCHMARK(plan_2x2x2x2_rank_4)->Unit(benchmark::kMicrosecond);
BENCHMARK(plan_64x64)->Unit(benchmark::kMicrosecond);
BENCHMARK(plan_16x16x16)->Unit(benchmark::kMicrosecond);
BENCHMARK(plan_again)->Unit(benchmark::kMicrosecond);

}  // namespace
