// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/search/states_of.hpp"

#include <algorithm>

#include "tutti/ops/moves/exchange_digits.hpp"

namespace tutti {
namespace {

/// `sharding` without axes of size 1, and with `reduced` in place of its reduced axes.
Sharding trimmed(Sharding sharding, const Axes& reduced) {
  auto is_single = [](const Axis& axis) { return axis.size == 1; };
  for (Axes& axes : sharding.dims) std::erase_if(axes, is_single);
  std::erase_if(sharding.unreduced, is_single);
  sharding.reduced = reduced;
  return sharding;
}

Axes reduced_on_both_sides(const PlanRequest& request) {
  Axes both;
  for (const Axis& axis : request.from.reduced)
    if (axis.size > 1 && contains(request.to.reduced, axis)) both.push_back(axis);
  return both;
}

bool is_free(const Sharding& sharding, const Axis& axis) { return !contains(axes_of(sharding), axis); }

/// True if `b` stands right after `a` in a dim, or both where no order matters.
bool follows(const Sharding& sharding, const Axis& a, const Axis& b) {
  for (const Axes& axes : sharding.dims)
    for (std::size_t i = 0; i + 1 < axes.size(); ++i)
      if (axes[i] == a) return axes[i + 1] == b;
  if (contains(sharding.unreduced, a)) return contains(sharding.unreduced, b);
  return is_free(sharding, a) && is_free(sharding, b);
}

}  // namespace

StatesOf::StatesOf(const PlanRequest& request)
    : first_(trimmed(request.from, reduced_on_both_sides(request))),
      last_(trimmed(request.to, first_.reduced)),
      still_(unsharded(first_.mesh, request.whole.rank())) {
  Axes axes;
  for (const Axis& axis : first_.mesh.axes())
    if (axis.size > 1 && !contains(first_.reduced, axis)) axes.push_back(axis);
  const bool is_large = axes.size() > most_axes;
  if (is_large) keep_what_stands(axes);
  for (const Axis& axis : axes) units_.push_back({axis});
  if (is_large) join_followers();
  for (const Axes& unit : units_) space_.axes.push_back(joint_size(unit));
  space_.shape = request.whole.shape().sizes();
  for (std::size_t dim = 0; dim < space_.shape.size(); ++dim)
    space_.shape[dim] /= joint_size(still_.dims[dim]);
  from_ = state(first_);
  to_ = state(last_);
}

void StatesOf::keep_what_stands(Axes& axes) {
  still_.dims = common_sharding(first_, last_).dims;
  for (const Axis& axis : first_.unreduced)
    if (contains(last_.unreduced, axis)) still_.unreduced.push_back(axis);
  std::erase_if(axes, [&](const Axis& axis) {
    return !is_free(still_, axis) || (is_free(first_, axis) && is_free(last_, axis));
  });
}

void StatesOf::join_followers() {
  for (std::size_t a = 0; a < units_.size(); ++a)
    for (std::size_t b = 0; b < units_.size(); ++b) {
      const Axis &end = units_[a].back(), &begin = units_[b].front();
      if (contains(last_.unreduced, end)) continue;  // a mask is along one axis
      if (a == b || !follows(first_, end, begin) || !follows(last_, end, begin)) continue;
      units_[a].insert(units_[a].end(), units_[b].begin(), units_[b].end());
      units_.erase(units_.begin() + static_cast<std::ptrdiff_t>(b));
      return join_followers();
    }
}

PlanState StatesOf::state(const Sharding& sharding) const {
  auto numbers = [&](const Axes& axes) {
    std::vector<int> found;
    for (const Axis& axis : axes)
      for (std::size_t unit = 0; unit < units_.size(); ++unit)
        if (units_[unit].front() == axis) found.push_back(static_cast<int>(unit));
    return found;
  };
  PlanState state{{}, numbers(sharding.unreduced)};
  for (const Axes& axes : sharding.dims) state.dims.push_back(numbers(axes));
  std::ranges::sort(state.unreduced);
  return state;
}

Sharding StatesOf::sharding(const PlanState& state) const {
  if (state == to_) return last_;  // its unreduced axes may stand in another order
  if (state == from_) return first_;
  Sharding sharding = still_;
  sharding.reduced = first_.reduced;
  auto add = [&](Axes& axes, const std::vector<int>& numbers) {
    for (int number : numbers) {
      const Axes& unit = units_[static_cast<std::size_t>(number)];
      axes.insert(axes.end(), unit.begin(), unit.end());
    }
  };
  for (std::size_t dim = 0; dim < state.dims.size(); ++dim) add(sharding.dims[dim], state.dims[dim]);
  add(sharding.unreduced, state.unreduced);
  std::ranges::sort(sharding.unreduced);
  return sharding;
}

}  // namespace tutti
