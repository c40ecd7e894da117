// SPDX-License-Identifier: Apache-2.0
// The planner's plans cost what the cheapest ones do, found by trying all. Nothing here is the planner's own:
// shardings are states, two of them are a step if the rules below say so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/full_sets.hpp"
#include "tests/support/shardings.hpp"
#include "tutti/plan/plan.hpp"
#include "tutti/plan/search/search.hpp"

namespace tutti {
namespace {

struct Cost {
  double first = std::numeric_limits<double>::infinity(), second = 0;
  bool operator<(const Cost& other) const {
    const double unit = 1e-9 * std::max(1e-6, std::abs(first));
    return first < other.first - unit || (first < other.first + unit && second < other.second);
  }
};

struct Move {
  bool exists = false, communicates = false;
  double bytes = 0;   // that a device receives
  double copied = 0;  // of a local one
};

bool begins(const Axes& all, const Axes& beginning) {
  return beginning.size() <= all.size() && std::equal(beginning.begin(), beginning.end(), all.begin());
}

/// All that `b` has in a dim and `a` does not, if that is a beginning there. Not if some dim of `a` is no
/// beginning.
bool only_adds(const Sharding& a, const Sharding& b, Axes& added) {
  for (std::size_t dim = 0; dim < a.dims.size(); ++dim) {
    if (!begins(b.dims[dim], a.dims[dim])) return false;
    for (std::size_t i = a.dims[dim].size(); i < b.dims[dim].size(); ++i) added.push_back(b.dims[dim][i]);
  }
  return true;
}

bool are_same_axes(const Axes& a, const Axes& b) { return std::ranges::is_permutation(a, b); }

Axes minus(Axes a, const Axes& b) {
  std::erase_if(a, [&](const Axis& axis) { return contains(b, axis); });
  return a;
}

double bytes_of(const Type& whole, const Sharding& sharding) {
  return static_cast<double>(local_type(whole, sharding).bytes());
}

/// Ends of dims that go to the ends of other dims.
bool is_exchange(const Sharding& a, const Sharding& b, Axes& moved) {
  Axes lost;
  for (std::size_t dim = 0; dim < a.dims.size(); ++dim) {
    const Axes &x = a.dims[dim], &y = b.dims[dim];
    if (!begins(x, y) && !begins(y, x)) return false;
    for (std::size_t i = y.size(); i < x.size(); ++i) lost.push_back(x[i]);
    for (std::size_t i = x.size(); i < y.size(); ++i) moved.push_back(y[i]);
  }
  return are_same_axes(lost, moved);
}

bool has_as_many_parts(const Sharding& a, const Sharding& b) {
  for (std::size_t dim = 0; dim < a.dims.size(); ++dim)
    if (joint_size(a.dims[dim]) != joint_size(b.dims[dim])) return false;
  return true;
}

Move cheapest_of_same_sums(const Type& whole, const Sharding& a, const Sharding& b) {
  Axes added, gathered, moved;
  const double before = bytes_of(whole, a), after = bytes_of(whole, b);
  if (only_adds(a, b, added)) return {true, false, 0, after};
  if (only_adds(b, a, gathered)) return {true, true, after - before, 0};
  const double n = is_exchange(a, b, moved) ? joint_size(moved) : 0;
  if (n > 0) return {true, true, before * (n - 1) / n, 0};
  if (has_as_many_parts(a, b)) return {true, true, before, 0};
  return {};
}

Move move(const Type& whole, const Sharding& a, const Sharding& b, const Axes& may_be_masked) {
  const Axes summed = minus(a.unreduced, b.unreduced), masked = minus(b.unreduced, a.unreduced);
  if (summed.empty() && masked.empty()) return cheapest_of_same_sums(whole, a, b);
  Axes added, taken;
  if (masked.empty() && only_adds(a, b, added)) {
    const double n = joint_size(summed), share = bytes_of(whole, a) * (n - 1) / n;
    if (added.empty()) return {true, true, 2 * share, 0};
    if (are_same_axes(added, summed)) return {true, true, share, 0};
  }
  const bool is_mask = summed.empty() && masked.size() == 1 && contains(may_be_masked, masked[0]) &&
                       only_adds(b, a, taken) && minus(taken, masked).empty();
  return is_mask ? Move{true, false, 0, bytes_of(whole, b)} : Move{};
}

Cost cost_of(const Move& move, PlanObjective objective) {
  const PlanCosts costs;
  const double steps = move.communicates ? 1 : 0;
  switch (objective) {
    case PlanObjective::time:
      return {steps * costs.step + move.bytes * costs.byte + move.copied * costs.copied_byte, 0};
    case PlanObjective::bytes: return {move.bytes, steps};
    case PlanObjective::steps: return {steps, move.bytes};
  }
  return {};
}

/// Relaxes all moves until nothing changes: of Bellman and Ford.
std::vector<Cost> costs_from(const Type& whole, const std::vector<Sharding>& all, std::size_t from,
                             std::size_t to, PlanObjective objective,
                             const std::vector<std::vector<Move>>& moves) {
  const double most = std::max(bytes_of(whole, all[from]), bytes_of(whole, all[to]));
  std::vector<Cost> costs(all.size());
  costs[from] = {0, 0};
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = 0; b < all.size(); ++b) {
        if (!moves[a][b].exists || std::isinf(costs[a].first) || bytes_of(whole, all[b]) > most) continue;
        const Cost more = cost_of(moves[a][b], objective);
        const Cost sum{costs[a].first + more.first, costs[a].second + more.second};
        if (sum < costs[b]) {
          costs[b] = sum;
          changes = true;
        }
      }
  }
  return costs;
}

Cost cost_of(const PlanTotals& totals, PlanObjective objective) {
  const auto bytes = static_cast<double>(totals.bytes), steps = static_cast<double>(totals.steps);
  switch (objective) {
    case PlanObjective::time: return {totals.seconds, 0};
    case PlanObjective::bytes: return {bytes, steps};
    case PlanObjective::steps: return {steps, bytes};
  }
  return {};
}

void expect_cheapest(std::string_view mesh, const Shape& shape, Sums sums, std::size_t one_in) {
  const Type whole(DType::f32, shape);
  const std::vector<Sharding> all = all_shardings(mesh_of(mesh), shape, sums);
  for (std::size_t pair = 0; pair < all.size() * all.size(); pair += one_in * one_in_sanitized()) {
    const std::size_t from = pair / all.size(), to = pair % all.size();
    std::vector<std::vector<Move>> moves(all.size(), std::vector<Move>(all.size()));
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = 0; b < all.size(); ++b)
        if (a != b) moves[a][b] = move(whole, all[a], all[b], all[to].unreduced);
    for (PlanObjective objective : {PlanObjective::time, PlanObjective::bytes, PlanObjective::steps}) {
      const ReshardPlan found = plan({whole, all[from], all[to], {.objective = objective}});
      const Cost best = costs_from(whole, all, from, to, objective, moves)[to];
      const Cost ours = cost_of(found.totals, objective);
      ASSERT_FALSE(best < ours || ours < best)
          << to_string(found) << "cheapest: " << best.first << ", " << best.second;
    }
  }
}

TEST(plan_exhaustive, plans_on_one_axis_are_the_cheapest) {
  expect_cheapest("x4", {8}, Sums::included, 1);
  expect_cheapest("x6", {6, 12}, Sums::included, 1);
  expect_cheapest("x4", {4, 8, 4}, Sums::included, 1);
}

TEST(plan_exhaustive, plans_on_two_axes_are_the_cheapest) {
  expect_cheapest("x2 y2", {8}, Sums::included, 1);
  expect_cheapest("x2 y2", {4, 8}, Sums::included, 1);
  expect_cheapest("x2 y2", {4, 4, 4}, Sums::included, 7);
  expect_cheapest("x2 y3", {6, 12}, Sums::included, 3);
}

TEST(plan_exhaustive, plans_that_cannot_split_small_dims_are_the_cheapest) {
  expect_cheapest("x2 y2", {2, 4}, Sums::included, 1);
  expect_cheapest("x2 y3", {2, 3, 6}, Sums::excluded, 3);
}

TEST(plan_exhaustive, plans_on_more_devices_are_the_cheapest) {
  const std::size_t one_in = tries_full_sets() ? 1 : 499;
  expect_cheapest("x2 y4", {8, 8}, Sums::included, one_in);
  expect_cheapest("x2 y2 z2", {8, 8}, Sums::excluded, one_in);
  expect_cheapest("x2 y2 z3", {12, 12}, Sums::excluded, one_in);
  if (!tries_full_sets()) return;
  expect_cheapest("x2 y2", {4, 4, 4}, Sums::included, 1);
  expect_cheapest("x2 y3", {6, 12}, Sums::included, 1);
}

}  // namespace
}  // namespace tutti
