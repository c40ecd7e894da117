// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/plan.hpp"

#include <algorithm>
#include <iterator>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/plan/direct.hpp"
#include "tutti/plan/groups.hpp"
#include "tutti/plan/search.hpp"
#include "tutti/plan/states_of.hpp"
#include "tutti/plan/steps.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_others = 2;
constexpr std::size_t most_searched = StatesOf::most_axes + 1;  // else one exchange of boxes
constexpr int most_states = 2'000, most_known_states = 20'000;  // a second, for arrays of many dims
constexpr int most_states_for_others =
    128;  // a millisecond: where there are many more, many plans are as good

double cost_along(const Axis& axis, const ReshardOptions& options) {
  double cost = 1;
  for (const auto& [name, given] : options.links)
    if (axis.name == name) cost = given;
  return cost;
}

double cost_along(const Axes& unit, const ReshardOptions& options) {
  double most = 0;
  for (const Axis& axis : unit) most = std::max(most, cost_along(axis, options));
  return most;
}

std::vector<int> in_both(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

/// "48 B more": where a plan is worse than the one that was chosen.
std::string why_not(const PlanTotals& other, const PlanTotals& chosen) {
  std::string text;
  auto add = [&](std::string_view more) { text += (text.empty() ? "" : ", ") + std::string(more); };
  if (other.bytes > chosen.bytes) add(in_bytes(other.bytes - chosen.bytes) + " more");
  if (other.steps > chosen.steps) add(counted(other.steps - chosen.steps, "step") + " more");
  if (other.local > chosen.local) add(counted(other.local - chosen.local, "local step") + " more");
  if (!text.empty()) return text;
  if (other.cost_of_bytes > chosen.cost_of_bytes) return "its bytes cost more";
  return other.seconds > chosen.seconds ? "slower" : "as good, but later in the order";
}

class Planner {
 public:
  explicit Planner(const PlanRequest& request)
      : request_(request), states_(request), graph_(states_.space(), states_.to().unreduced) {
    wanted_.from = graph_.number(states_.from());
    wanted_.to = graph_.number(states_.to());
    wanted_.element_bytes = static_cast<std::int64_t>(bytes_per_element(request.whole.dtype()));
    wanted_.objective = request.options.objective;
    if (!request.options.links.empty())
      for (const Axes& unit : states_.units())
        wanted_.costs.axes.push_back(cost_along(unit, request.options));
    constexpr double rounding = 1 + 1e-12;  // the least cap that a refusal names is one that will do
    const double most = static_cast<double>(larger_block()) * request.options.cap * rounding;
    wanted_.most_elements = most < 0x1p62 ? static_cast<std::int64_t>(most) : std::int64_t{1} << 62;
    if (!(request.options.cap > 0)) wanted_.most_elements = -1;
    wanted_.most_states = most_states;
    wanted_.most_known = most_known_states;
  }

  ReshardPlan plan() {
    if (larger_block() > wanted_.most_elements) refuse_cap();
    if (states_.units().size() > most_searched) return with_others(direct_of_many(), {});
    if (request_.options.direct) return with_others(direct(), {});
    if (const std::optional<FoundPlan> best = search(graph_, wanted_))
      return with_others(known(*best), others(*best));
    return with_others(direct(), {});
  }

 private:
  struct Known {
    std::vector<PlanStep> steps;
    PlanTotals totals;
  };

  std::int64_t larger_block() const { return std::max(graph_.block(wanted_.from), graph_.block(wanted_.to)); }

  /// One exchange of boxes makes no larger block than there is before and after.
  [[noreturn]] void refuse_cap() const {
    fail(Code::memory,
         "no plan from {} to {} keeps every block within {} times {}; the least cap that would do is 1",
         to_string(request_.from), to_string(request_.to), request_.options.cap,
         counted(larger_block() * wanted_.element_bytes, "byte"));
  }

  PlanStep step(const PlanEdge& edge, const Sharding& before) {
    PlanStep step = step_of(edge.kind, before, states_.sharding(graph_.state(edge.after)), request_.whole);
    step.sent_bytes = step.received_bytes = edge.received * wanted_.element_bytes;
    step.peers = edge.peers;
    step.seconds = totals_of(edge, graph_, wanted_).seconds;
    return step;
  }

  Known known(const FoundPlan& found) {
    Known plan{{}, found.totals};
    for (const FoundPlan::Step& found_step : found.steps)
      plan.steps.push_back(step(found_step.edge, states_.sharding(graph_.state(found_step.before))));
    return plan;
  }

  /// The best plans that do without the steps by which better ones begin to communicate, and those of other objectives.
  std::vector<FoundPlan> others(const FoundPlan& best) {
    std::vector<FoundPlan> found{best};
    auto add = [&](const std::optional<FoundPlan>& plan) {
      auto is_same = [&](const FoundPlan& other) { return states_on(other) == states_on(*plan); };
      if (plan && std::ranges::none_of(found, is_same)) found.push_back(*plan);
    };
    PlanSearch wanted = wanted_;
    wanted.most_states = most_states_for_others;
    for (std::size_t i = 0; i < most_others && i < found.size(); ++i) {
      const std::vector<FoundPlan::Step>& steps = found[i].steps;
      const auto first = std::ranges::find_if(steps, &PlanEdge::communicates, &FoundPlan::Step::edge);
      if (first == steps.end()) break;
      wanted.forbidden.emplace_back(first->before, first->edge.after);
      add(search(graph_, wanted));
    }
    wanted.forbidden.clear();
    for (PlanObjective objective : {PlanObjective::time, PlanObjective::bytes, PlanObjective::steps}) {
      wanted.objective = objective;
      if (objective != wanted_.objective && best.totals.steps > 0) add(search(graph_, wanted));
    }
    std::ranges::stable_sort(found.begin() + 1, found.end(), [&](const FoundPlan& a, const FoundPlan& b) {
      return is_better(a.totals, b.totals, wanted_.objective);
    });
    found.erase(found.begin());
    if (found.size() > most_others) found.resize(most_others);
    return found;
  }

  static std::vector<int> states_on(const FoundPlan& plan) {
    std::vector<int> states;
    for (const FoundPlan::Step& step : plan.steps) states.push_back(step.edge.after);
    return states;
  }

  /// Sums first, sliced as the cheapest plan wants it, then one exchange of boxes, then terms.
  Known direct() {
    const std::vector<int> kept = in_both(states_.from().unreduced, states_.to().unreduced);
    PlanState goal = states_.to();
    goal.unreduced = kept;
    const int to = graph_.number(goal);
    std::vector<std::pair<int, PlanTotals>> ways{{wanted_.from, {}}};
    PlanSearch sums = wanted_;
    if (kept != states_.from().unreduced) {
      sums.kinds = {StepKind::slice, StepKind::all_reduce, StepKind::reduce_scatter};
      ways = reachable(graph_, sums);
      std::erase_if(ways, [&](const auto& way) { return graph_.state(way.first).unreduced != kept; });
    }
    std::optional<std::pair<PlanTotals, PlanEdge>> best;
    for (const auto& [state, totals] : ways) {
      const PlanEdge edge = exchange(state, to);
      const PlanTotals all = edge.after == state ? totals : totals + totals_of(edge, graph_, wanted_);
      if (best && !is_better(all, best->first, wanted_.objective)) continue;
      best = {all, edge};
      sums.to = state;
    }
    const std::optional<FoundPlan> way = best ? search(graph_, sums) : std::nullopt;
    if (!way) return direct_of_many();
    Known plan = known(*way);
    if (sums.to != to) add_exchange(plan, sums.to, best->second);
    add_masks(plan, to);
    return plan;
  }

  /// The same where there are too many states: one psum of all sums, one exchange of boxes.
  Known direct_of_many() {
    Known plan;
    PlanState summed = states_.from(), goal = states_.to();
    summed.unreduced = goal.unreduced = in_both(states_.from().unreduced, states_.to().unreduced);
    const int from = graph_.number(summed), to = graph_.number(goal);
    if (from != wanted_.from) {
      std::uint32_t axes = 0;
      std::int64_t n = 1;
      for (int unit : states_.from().unreduced) {
        if (std::ranges::find(summed.unreduced, unit) != summed.unreduced.end()) continue;
        axes |= std::uint32_t{1} << unit;
        n *= graph_.space().axes[static_cast<std::size_t>(unit)];
      }
      const std::int64_t received = 2 * share_of_others(graph_.block(from), n);
      add_step(plan, wanted_.from, {from, StepKind::all_reduce, axes, static_cast<int>(n - 1), received});
    }
    if (from != to) add_exchange(plan, from, exchange(from, to));
    add_masks(plan, to);
    return plan;
  }

  void add_step(Known& plan, int from, const PlanEdge& edge) {
    plan.totals = plan.totals + totals_of(edge, graph_, wanted_);
    plan.steps.push_back(step(edge, states_.sharding(graph_.state(from))));
  }

  /// One exchange of boxes; a slice if each device has what it needs.
  PlanEdge exchange(int from, int to) {
    const DirectTraffic traffic = traffic_of(from, to);
    if (traffic.received == 0) return {to, StepKind::slice, 0, 0, 0};
    std::uint32_t axes = 0;
    const Axes moved = step_axes(states_.sharding(graph_.state(from)), states_.sharding(graph_.state(to)));
    for (std::size_t unit = 0; unit < states_.units().size(); ++unit)
      if (contains(moved, states_.units()[unit].front())) axes |= std::uint32_t{1} << unit;
    return {to, StepKind::exchange, axes, traffic.peers, traffic.received};
  }
  DirectTraffic traffic_of(int from, int to) {
    return direct_traffic(states_.sharding(graph_.state(from)), states_.sharding(graph_.state(to)),
                          request_.whole.shape());
  }

  void add_exchange(Known& plan, int from, const PlanEdge& edge) {
    add_step(plan, from, edge);
    PlanStep& added = plan.steps.back();
    if (edge.kind == StepKind::slice) return;
    added.sent_bytes = traffic_of(from, edge.after).sent * wanted_.element_bytes;
    added.scratch_bytes = added.sent_bytes + added.received_bytes;
  }

  void add_masks(Known& plan, int from) {
    for (int axis : states_.to().unreduced) {
      PlanState next = graph_.state(from);
      if (std::ranges::find(next.unreduced, axis) != next.unreduced.end()) continue;
      next.unreduced.insert(std::ranges::upper_bound(next.unreduced, axis), axis);
      const PlanEdge mask{graph_.number(next), StepKind::mask, 0, 0, 0};
      add_step(plan, from, mask);
      from = mask.after;
    }
  }

  ReshardPlan with_others(Known known_plan, const std::vector<FoundPlan>& found) {
    ReshardPlan plan{request_, std::move(known_plan.steps), known_plan.totals, 0, 0, {}};
    auto block_of = [&](const Sharding& sharding) {
      return static_cast<std::int64_t>(local_type(request_.whole, sharding).bytes());
    };
    plan.peak_block_bytes = plan.peak_bytes = block_of(states_.first());
    for (const PlanStep& each : plan.steps) {
      const std::int64_t operand = block_of(each.before), result = block_of(each.after);
      plan.peak_block_bytes = std::max(plan.peak_block_bytes, result);
      plan.peak_bytes = std::max(plan.peak_bytes, operand + result + each.scratch_bytes);
    }
    for (const FoundPlan& other : found) {
      Known steps = known(other);
      plan.others.push_back({std::move(steps.steps), steps.totals, why_not(steps.totals, plan.totals)});
    }
    return plan;
  }

  const PlanRequest& request_;
  const StatesOf states_;
  StateGraph graph_;
  PlanSearch wanted_;
};

}  // namespace

ReshardPlan plan(const PlanRequest& request) {
  check(request);
  return Planner(request).plan();
}

}  // namespace tutti
