// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/between_meshes.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/plan/moves/step_list.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti {
namespace {

constexpr int most_states = 256;                 // on each mesh
constexpr int most_known_states = 4'096;         // that are met on the way to them
constexpr int most_followed = 128;               // of the search from one of them to the goal
constexpr std::int64_t most_visits = 1'000'000;  // of all moves but the one from end to end
/// A sharding on one of the meshes, and what it takes from the start there, or from there to the goal.
struct Way {
  Sharding at;
  PlanTotals totals;
};

Sharding without_terms(Sharding sharding) {
  for (Axes& axes : sharding.dims) std::erase_if(axes, [](const Axis& axis) { return axis.size == 1; });
  sharding.unreduced.clear();
  sharding.reduced.clear();
  return sharding;
}

bool have_same_parts(const Sharding& a, const Sharding& b) {
  return std::ranges::equal(a.dims, b.dims, {}, joint_size, joint_size);
}

class BetweenMeshes {
 public:
  explicit BetweenMeshes(const PlanRequest& request)
      : request_(request),
        pairs_(request),
        larger_block_(std::max(block_bytes(request, request.from), block_bytes(request, request.to))),
        is_same_devices_(have_same_devices(request.from.mesh, request.to.mesh)) {}

  KnownSteps steps() {
    find_ways();
    if (is_same_devices_ && !request_.options.direct) look_at_moves_of_blocks();
    if (!best_) look_at_moves_of_boxes();
    require(best_.has_value(), Code::memory,
            "a move from {} on {} to {} on {} is between more than {} blocks; take it in two, or use smaller "
            "meshes",
            request_.from, request_.from.mesh, request_.to, request_.to.mesh, most_move_visits);
    return steps_of(*best_);
  }

 private:
  struct Choice {
    PlanTotals totals;
    Sharding from, to;
    MoveTraffic move;
  };

  PlanRequest before_move(const Sharding& to) const {
    return {request_.whole, request_.from, to, options_on(request_.from.mesh, to, request_.from)};
  }
  PlanRequest after_move(const Sharding& from) const {
    return {request_.whole, from, request_.to, options_on(from.mesh, from, request_.to)};
  }

  /// Links along axes of either mesh cost what they cost between the devices that are neighbours here. The
  /// cap is that of the whole way.
  ReshardOptions options_on(const Mesh& mesh, const Sharding& a, const Sharding& b) const {
    ReshardOptions options = request_.options;
    options.links.clear();
    if (!pairs_.are_equal())
      for (const Axis& axis : mesh.whole().axes())
        options.links.emplace_back(std::string(axis.name), cost_along_axis(mesh.whole(), axis));
    const std::int64_t larger = std::max(block_bytes(request_, a), block_bytes(request_, b));
    if (larger > 0)
      options.cap =
          std::max(1.0, options.cap * static_cast<double>(larger_block_) / static_cast<double>(larger));
    return options;
  }

  /// Two devices that differ along an axis of the other mesh: so does one of them from the first along
  /// `axis`.
  double cost_along_axis(const Mesh& mesh, const Axis& axis) const {
    double most = 0;
    for (int position = 0; position < mesh.devices(); ++position) {
      const int coordinate = mesh.coordinate(position, axis);
      if (coordinate == 0) continue;
      const int first = position - coordinate * mesh.stride(axis);
      most = std::max(most, pairs_.between(mesh.device_id(first), mesh.device_id(position)));
    }
    return most;
  }

  void find_ways() {
    const PlanRequest before = before_move(without_terms(request_.from));
    const PlanRequest after = after_move(without_terms(request_.to));
    sources_ = ways_on(before, before.from,
                       [](StateGraph& graph, const PlanSearch& wanted) { return reachable(graph, wanted); });
    targets_ = ways_on(after, after.from, [](StateGraph& graph, const PlanSearch& wanted) {
      PlanSearch around = wanted, there = wanted;
      around.kinds = {StepKind::slice, StepKind::gather, StepKind::exchange, StepKind::permute};
      there.most_states = most_followed;
      there.most_known = 2 * most_known_states;
      std::vector<std::pair<int, PlanTotals>> ways;
      for (const auto& [state, totals] : reachable(graph, around)) {
        there.from = state;
        if (const std::optional<FoundPlan> found = search(graph, there))
          ways.emplace_back(state, found->totals);
      }
      return ways;
    });
  }

  /// The shardings of one mesh, the nearest first. Without a search: only `first`'s blocks.
  template <class Find>
  std::vector<Way> ways_on(const PlanRequest& part, const Sharding& first, const Find& find) const {
    const Sharding still = without_terms(first);
    std::vector<Way> ways;
    const StatesOf states(part);
    const bool may_search = !request_.options.direct || !part.from.unreduced.empty();
    if (may_search && is_even(part) && states.units().size() <= StatesOf::most_axes) {
      StateGraph graph(states.space(), states.to().unreduced);
      PlanSearch wanted = search_of(part, states, graph);
      wanted.most_states = most_states;
      wanted.most_known = most_known_states;
      if (request_.options.direct)
        wanted.kinds = {StepKind::slice, StepKind::all_reduce, StepKind::reduce_scatter};
      for (const auto& [state, totals] : find(graph, wanted))
        if (graph.state(state).unreduced.empty())
          ways.push_back({without_terms(states.sharding(graph.state(state))), totals});
    }
    const bool has_first =
        std::ranges::any_of(ways, [&](const Way& way) { return way.at.dims == still.dims; });
    if (!has_first) ways.insert(ways.begin(), {still, plan(part).totals});
    return ways;
  }

  /// Moves after which each device has one whole block of another, or its own: collectives do the rest.
  void look_at_moves_of_blocks() {
    for (const Way& source : sources_)
      for (const Way& target : targets_)
        if (have_same_parts(source.at, target.at)) look_at(source, target, visits_left_);
  }

  void look_at_moves_of_boxes() {
    const Way source = at_end(sources_, request_.from), target = at_end(targets_, request_.to);
    std::int64_t visits = most_move_visits;
    look_at(source, target, visits);
    for (const Way& other : sources_) look_at(other, target, visits_left_);
    for (const Way& other : targets_) look_at(source, other, visits_left_);
    look_at_moves_of_blocks();
  }
  static Way at_end(const std::vector<Way>& ways, const Sharding& end) {
    const auto found =
        std::ranges::find_if(ways, [&](const Way& way) { return way.at.dims == without_terms(end).dims; });
    return found == ways.end() ? ways.front() : *found;
  }

  void look_at(const Way& source, const Way& target, std::int64_t& visits) {
    PlanTotals totals = source.totals + target.totals;
    if (best_ && !is_better(totals, best_->totals, request_.options.objective)) return;
    std::optional<MoveTraffic> move =
        move_traffic(source.at, target.at, request_.whole.shape(), pairs_, visits);
    if (!move) return;
    visits -= move->visits;
    totals = totals + totals_of_move(request_, target.at, *move);
    if (best_ && !is_better(totals, best_->totals, request_.options.objective)) return;
    best_ = {totals, source.at, target.at, std::move(*move)};
  }

  KnownSteps steps_of(const Choice& choice) const {
    StepList list(request_, request_.from);
    const ReshardPlan before = plan(before_move(choice.from)), after = plan(after_move(choice.to));
    list.add({before.steps, before.totals}, choice.from);
    list.add_move(choice.to, choice.move);
    list.add({after.steps, after.totals}, request_.to);
    return list.known();
  }

  const PlanRequest& request_;
  const PairCosts pairs_;
  const std::int64_t larger_block_;  // in bytes
  const bool is_same_devices_;
  std::vector<Way> sources_, targets_;
  std::optional<Choice> best_;
  std::int64_t visits_left_ = most_visits;
};

}  // namespace

bool have_same_devices(const Mesh& a, const Mesh& b) { return devices_in(a) == devices_in(b); }

KnownSteps steps_between_meshes(const PlanRequest& request) { return BetweenMeshes(request).steps(); }

}  // namespace tutti
