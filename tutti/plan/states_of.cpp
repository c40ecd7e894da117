// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/states_of.hpp"

#include <algorithm>

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

}  // namespace

StatesOf::StatesOf(const PlanRequest& request)
    : first_(trimmed(request.from, reduced_on_both_sides(request))),
      last_(trimmed(request.to, first_.reduced)) {
  for (const Axis& axis : first_.mesh.axes())
    if (axis.size > 1 && !contains(first_.reduced, axis)) axes_.push_back(axis);
  for (const Axis& axis : axes_) space_.axes.push_back(axis.size);
  space_.shape = request.whole.shape().sizes();
  from_ = state(first_);
  to_ = state(last_);
}

PlanState StatesOf::state(const Sharding& sharding) const {
  auto numbers = [&](const Axes& axes) {
    std::vector<int> found;
    for (const Axis& axis : axes)
      found.push_back(static_cast<int>(std::ranges::find(axes_, axis) - axes_.begin()));
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
  auto named = [&](const std::vector<int>& numbers) {
    Axes found;
    for (int number : numbers) found.push_back(axes_[static_cast<std::size_t>(number)]);
    return found;
  };
  Sharding sharding{first_.mesh, {}, named(state.unreduced), first_.reduced};
  for (const std::vector<int>& dim : state.dims) sharding.dims.push_back(named(dim));
  return sharding;
}

}  // namespace tutti
