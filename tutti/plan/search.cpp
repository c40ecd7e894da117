// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>

namespace tutti {
namespace {

class Search {
 public:
  explicit Search(const PlanSearch& wanted) : wanted_(wanted), space_(wanted.space) {
    const std::int64_t larger =
        std::max(space_.block_elements(wanted.from), space_.block_elements(wanted.to));
    most_elements_ = static_cast<std::int64_t>(std::floor(static_cast<double>(larger) * wanted.cap));
  }

  std::optional<FoundPlan> found() {
    reach(wanted_.from, {}, nullptr, {});
    while (!open_.empty()) {
      const auto [key, state] = open_.top();
      open_.pop();
      Reached& here = reached_.at(state);
      if (here.is_done) continue;
      here.is_done = true;
      if (state == wanted_.to) return plan();
      const PlanTotals so_far = here.totals;
      for (PlanEdge& edge : steps_from(state, space_)) follow(state, so_far, std::move(edge));
      const std::int64_t block = space_.block_elements(state);
      for (PlanState& after : permutations_of(state, space_))
        follow(state, so_far, {StepKind::permute, std::move(after), block, 1});
    }
    return std::nullopt;
  }

 private:
  using Key = std::tuple<double, std::int64_t, std::int64_t, int>;
  struct Reached {
    PlanTotals totals;
    Key key;
    std::optional<PlanState> before;
    std::optional<PlanEdge> by;
    bool is_done = false;
  };

  Key key_of(const PlanTotals& totals) const {
    switch (wanted_.objective) {
      case PlanObjective::time: return {totals.seconds, totals.steps, totals.bytes, totals.local};
      case PlanObjective::bytes: return {0, totals.bytes, totals.steps, totals.local};
      case PlanObjective::steps: return {0, totals.steps, totals.bytes, totals.local};
    }
    return {};
  }

  void follow(const PlanState& state, PlanTotals totals, PlanEdge edge) {
    const std::int64_t block = space_.block_elements(edge.after);
    if (block > most_elements_) return;
    const std::int64_t bytes = edge.received * wanted_.element_bytes;
    if (edge.communicates()) {
      ++totals.steps;
      totals.bytes += bytes;
      totals.seconds += wanted_.costs.step + wanted_.costs.peer * edge.peers +
                        wanted_.costs.byte * static_cast<double>(bytes);
    } else {
      ++totals.local;
      totals.seconds += wanted_.costs.copied_byte * static_cast<double>(block * wanted_.element_bytes);
    }
    PlanState after = edge.after;
    reach(after, totals, &state, std::move(edge));
  }

  void reach(const PlanState& state, const PlanTotals& totals, const PlanState* before,
             std::optional<PlanEdge> by) {
    const Key key = key_of(totals);
    auto [found, is_new] = reached_.try_emplace(state);
    if (!is_new && found->second.key <= key) return;
    found->second = {totals, key, before ? std::optional(*before) : std::nullopt, std::move(by)};
    open_.emplace(key, state);
  }

  FoundPlan plan() const {
    FoundPlan plan{{}, reached_.at(wanted_.to).totals, space_.block_elements(wanted_.from)};
    for (const Reached* at = &reached_.at(wanted_.to); at->before; at = &reached_.at(*at->before)) {
      plan.peak_elements = std::max(plan.peak_elements, space_.block_elements(at->by->after));
      plan.steps.push_back(*at->by);
    }
    std::ranges::reverse(plan.steps);
    return plan;
  }

  const PlanSearch& wanted_;
  const PlanSpace& space_;
  std::int64_t most_elements_;
  std::map<PlanState, Reached> reached_;
  using Open = std::pair<Key, PlanState>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
};

}  // namespace

std::optional<FoundPlan> search(const PlanSearch& wanted) { return Search(wanted).found(); }

}  // namespace tutti
