// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/plan.hpp"

#include <algorithm>
#include <iterator>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/plan/between_meshes.hpp"
#include "tutti/plan/moves/direct.hpp"
#include "tutti/plan/moves/groups.hpp"
#include "tutti/plan/moves/steps.hpp"
#include "tutti/plan/moves/uneven.hpp"
#include "tutti/plan/refinements.hpp"
#include "tutti/plan/search/search_of.hpp"
#include "tutti/plan/search/states_of.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_others = 2;
constexpr std::size_t most_searched = StatesOf::most_axes + 1;  // else one exchange of boxes
constexpr int most_states = 2'000, most_known_states = 20'000;  // a second, for arrays of many dims
constexpr int most_states_for_others =
    128;  // a millisecond: where there are many more, many plans are as good

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

ReshardPlan with_peaks(const PlanRequest& request, KnownSteps known) {
  ReshardPlan plan{request, std::move(known.steps), known.totals, 0, 0, {}};
  plan.peak_block_bytes = plan.peak_bytes =
      std::max(block_bytes(request, request.from), block_bytes(request, request.to));
  for (const PlanStep& each : plan.steps) {
    const std::int64_t operand = block_bytes(request, each.before), result = block_bytes(request, each.after);
    plan.peak_block_bytes = std::max(plan.peak_block_bytes, result);
    plan.peak_bytes = std::max(plan.peak_bytes, operand + result + each.scratch_bytes);
  }
  return plan;
}

/// One exchange of boxes, or one move, makes no larger block than there is before and after.
void check_cap(const PlanRequest& request) {
  const double cap = request.options.cap;
  const std::int64_t larger = std::max(block_bytes(request, request.from), block_bytes(request, request.to));
  require(cap > 0 && static_cast<double>(larger) * cap * cap_rounding >= static_cast<double>(larger),
          Code::memory,
          "no plan from {} to {} keeps every block within {} times {}; the least cap that would do is 1",
          request.from, request.to, cap, counted(larger, "byte"));
}

class Planner {
 public:
  explicit Planner(const PlanRequest& request)
      : request_(request),
        states_(request),
        costs_(request),
        graph_(states_.space(), states_.to().unreduced),
        wanted_(search_of(request, states_, graph_)) {
    wanted_.most_states = most_states;
    wanted_.most_known = most_known_states;
  }

  ReshardPlan plan() {
    if (states_.units().size() > most_searched) return with_others(direct_of_many(), {});
    if (request_.options.direct) return with_others(direct(), {});
    if (const std::optional<FoundPlan> best = search(graph_, wanted_))
      return with_others(known(*best), others(*best));
    return with_others(direct(), {});
  }

 private:
  using Known = KnownSteps;
  struct Boxes {
    PlanEdge edge;
    PlanTotals totals;
    std::int64_t sent;
  };

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

  /// The best plans that do without the steps by which better ones begin to communicate, and those of other
  /// objectives.
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
    std::optional<std::pair<PlanTotals, Boxes>> best;
    for (const auto& [state, totals] : ways) {
      const Boxes boxes = exchange(state, to);
      const PlanTotals all = to == state ? totals : totals + boxes.totals;
      if (best && !is_better(all, best->first, wanted_.objective)) continue;
      best = {all, boxes};
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
  Boxes exchange(int from, int to) {
    const DirectTraffic traffic =
        direct_traffic(states_.sharding(graph_.state(from)), states_.sharding(graph_.state(to)),
                       request_.whole.shape(), costs_);
    const PlanEdge edge = exchange(from, to, traffic);
    PlanTotals totals = totals_of(edge, graph_, wanted_);
    if (edge.communicates() && traffic.cost) {
      totals.cost_of_bytes = *traffic.cost * static_cast<double>(wanted_.element_bytes);
      totals.seconds = wanted_.costs.step + wanted_.costs.byte * totals.cost_of_bytes;
    }
    return {edge, totals, traffic.sent};
  }
  PlanEdge exchange(int from, int to, const DirectTraffic& traffic) {
    if (traffic.received == 0) return {to, StepKind::slice, 0, 0, 0};
    std::uint32_t axes = 0;
    const Axes moved = step_axes(states_.sharding(graph_.state(from)), states_.sharding(graph_.state(to)));
    for (std::size_t unit = 0; unit < states_.units().size(); ++unit)
      if (contains(moved, states_.units()[unit].front())) axes |= std::uint32_t{1} << unit;
    return {to, StepKind::exchange, axes, traffic.peers, traffic.received};
  }

  void add_exchange(Known& plan, int from, const Boxes& boxes) {
    plan.totals = plan.totals + boxes.totals;
    plan.steps.push_back(step(boxes.edge, states_.sharding(graph_.state(from))));
    PlanStep& added = plan.steps.back();
    if (!boxes.edge.communicates()) return;
    added.seconds = boxes.totals.seconds;
    added.sent_bytes = boxes.sent * wanted_.element_bytes;
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
    ReshardPlan plan = with_peaks(request_, std::move(known_plan));
    for (const FoundPlan& other : found) {
      Known steps = known(other);
      plan.others.push_back({std::move(steps.steps), steps.totals, why_not(steps.totals, plan.totals)});
    }
    return plan;
  }

  const PlanRequest& request_;
  const StatesOf states_;
  const PairCosts costs_;
  StateGraph graph_;
  PlanSearch wanted_;
};

}  // namespace

ReshardPlan plan(const PlanRequest& asked) {
  const PlanRequest request = on_one_mesh(asked);
  check(request);
  check_cap(request);
  if (!(request.from.mesh == request.to.mesh)) return with_peaks(request, steps_between_meshes(request));
  if (!is_even(request)) return with_peaks(request, uneven_steps(request));
  ReshardPlan best = Planner(request).plan();
  for (const PlanRequest& finer : refinements(best)) {
    ReshardPlan found = Planner(finer).plan();
    if (!is_better(found.totals, best.totals, request.options.objective)) continue;
    found.others.insert(found.others.begin(), {best.steps, best.totals, why_not(best.totals, found.totals)});
    found.others.resize(std::min(found.others.size(), most_others));
    best = std::move(found);
  }
  return best;
}

}  // namespace tutti
