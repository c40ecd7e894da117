// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/search/search.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace tutti {
namespace {

using Key = std::tuple<double, double, std::int64_t, int, std::int64_t>;

Key key_of(const PlanTotals& totals, PlanObjective objective) {
  const double steps = totals.steps;
  switch (objective) {
    case PlanObjective::time: return {totals.seconds, steps, totals.bytes, totals.local, totals.held_bytes};
    case PlanObjective::bytes:
      return {totals.cost_of_bytes, steps, totals.bytes, totals.local, totals.held_bytes};
    case PlanObjective::steps:
      return {steps, totals.cost_of_bytes, totals.bytes, totals.local, totals.held_bytes};
  }
  return {};
}

double cost_on(const PlanEdge& edge, const StateGraph& graph, const PlanCosts& costs) {
  if (costs.axes.empty()) return 1;
  std::vector<std::pair<std::int64_t, double>> sizes_and_costs;
  for (std::size_t axis = 0; axis < costs.axes.size(); ++axis)
    if ((edge.axes >> axis & 1) != 0)
      sizes_and_costs.emplace_back(graph.space().axes[axis], costs.axes[axis]);
  // Each device has one peer, and some peer is across the dearest axis.
  if (edge.kind == StepKind::permute) {
    double most = 0;
    for (const auto& [size, cost] : sizes_and_costs) most = std::max(most, cost);
    return most;
  }
  return cost_of_a_byte(std::move(sizes_and_costs));
}

/// Dijkstra; with a goal A*, with the elements that the goal's block still lacks as lower bound.
class Search {
 public:
  Search(StateGraph& graph, const PlanSearch& wanted) : graph_(graph), wanted_(wanted) {
    if (!wanted.costs.axes.empty()) least_cost_ = std::ranges::min(wanted.costs.axes);
  }

  std::optional<FoundPlan> found() {
    if (std::max(graph_.block(wanted_.from), graph_.block(wanted_.to)) > wanted_.most_elements) return {};
    goal_ = wanted_.to;
    int followed = 0;
    begin();
    while (std::optional<int> state = nearest()) {
      if (*state == wanted_.to) return plan();
      if (++followed > wanted_.most_states || graph_.states() > wanted_.most_known) break;
      for (const PlanEdge& edge : graph_.steps_from(*state)) follow(*state, edge);
    }
    return std::nullopt;
  }

  std::vector<std::pair<int, PlanTotals>> all() {
    std::vector<std::pair<int, PlanTotals>> found;
    begin();
    while (std::optional<int> state = nearest()) {
      if (std::ssize(found) >= wanted_.most_states || graph_.states() > wanted_.most_known) break;
      found.emplace_back(*state, totals(*state));
      for (const PlanEdge& edge : graph_.steps_from(*state)) follow(*state, edge);
    }
    return found;
  }

 private:
  void begin() { reach(wanted_.from, {}, {-1, {}}); }

  /// The nearest state whose steps were not followed yet.
  std::optional<int> nearest() {
    while (!open_.empty()) {
      const int state = open_.top().second;
      open_.pop();
      Reached& here = reached_[static_cast<std::size_t>(state)];
      if (here.is_done) continue;
      here.is_done = true;
      return state;
    }
    return std::nullopt;
  }

  PlanTotals totals(int state) const { return reached_[static_cast<std::size_t>(state)].totals; }

  struct Reached {
    bool is_reached = false, is_done = false;
    PlanTotals totals = {}, least = {};
    FoundPlan::Step by = {};
  };

  void follow(int state, const PlanEdge& edge) {
    if (graph_.block(edge.after) > wanted_.most_elements) return;
    const std::vector<StepKind>& kinds = wanted_.kinds;
    if (!kinds.empty() && std::ranges::find(kinds, edge.kind) == kinds.end()) return;
    if (std::ranges::find(wanted_.forbidden, std::pair(state, edge.after)) != wanted_.forbidden.end()) return;
    reach(edge.after, totals(state) + totals_of(edge, graph_, wanted_), {state, edge});
  }

  /// No way from `state` to the goal costs less.
  PlanTotals least(int state) const {
    const std::int64_t elements = goal_ ? graph_.least_received(state, *goal_) : 0;
    if (elements == 0) return {};
    const PlanCosts& costs = wanted_.costs;
    const std::int64_t bytes = elements * wanted_.element_bytes;
    const double cost = least_cost_ * static_cast<double>(bytes);
    return {costs.step + costs.peer + costs.byte * cost, cost, bytes, 1, 0, 0};
  }

  void reach(int state, const PlanTotals& totals, const FoundPlan::Step& by) {
    const auto at = static_cast<std::size_t>(state);
    if (at >= reached_.size()) reached_.resize(std::max(2 * at, static_cast<std::size_t>(graph_.states())));
    Reached& here = reached_[at];
    if (!here.is_reached) here.least = least(state);
    else if (!is_better(totals, here.totals, wanted_.objective)) return;
    const Key key = key_of(totals + here.least, wanted_.objective);
    if (key >= best_) return;
    here = {true, false, totals, here.least, by};
    if (state == goal_) best_ = key;
    open_.emplace(key, state);
  }

  FoundPlan plan() const {
    FoundPlan plan{{}, totals(wanted_.to)};
    for (int state = wanted_.to; state != wanted_.from;) {
      plan.steps.push_back(reached_[static_cast<std::size_t>(state)].by);
      state = plan.steps.back().before;
    }
    std::ranges::reverse(plan.steps);
    return plan;
  }

  StateGraph& graph_;
  const PlanSearch& wanted_;
  std::optional<int> goal_;
  Key best_{std::numeric_limits<double>::infinity(), 0, 0, 0, 0};  // to the goal, so far
  double least_cost_ = 1;                                          // of a byte
  std::vector<Reached> reached_;                                   // by state
  using Open = std::pair<Key, int>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
};

}  // namespace

std::optional<FoundPlan> search(StateGraph& graph, const PlanSearch& wanted) {
  return Search(graph, wanted).found();
}

std::vector<std::pair<int, PlanTotals>> reachable(StateGraph& graph, const PlanSearch& wanted) {
  return Search(graph, wanted).all();
}

bool is_better(const PlanTotals& a, const PlanTotals& b, PlanObjective objective) {
  return key_of(a, objective) < key_of(b, objective);
}

PlanTotals totals_of(const PlanEdge& edge, const StateGraph& graph, const PlanSearch& wanted) {
  const PlanCosts& costs = wanted.costs;
  const std::int64_t block = graph.block(edge.after) * wanted.element_bytes;
  if (!edge.communicates()) return {costs.copied_byte * static_cast<double>(block), 0, 0, 0, 1, block};
  const std::int64_t bytes = edge.received * wanted.element_bytes;
  const double cost = cost_on(edge, graph, costs) * static_cast<double>(bytes);
  return {costs.step + costs.peer * edge.peers + costs.byte * cost, cost, bytes, 1, 0, block};
}

double cost_of_a_byte(std::vector<std::pair<std::int64_t, double>> sizes_and_costs) {
  std::ranges::sort(sizes_and_costs, {}, &std::pair<std::int64_t, double>::second);
  double sum = 0;
  std::int64_t devices = 1;
  for (const auto& [size, cost] : sizes_and_costs) {
    sum += cost * static_cast<double>(devices * (size - 1));  // peers that differ along no dearer axis
    devices *= size;
  }
  return devices == 1 ? 1 : sum / static_cast<double>(devices - 1);
}

}  // namespace tutti
