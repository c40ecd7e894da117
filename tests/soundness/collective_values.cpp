// SPDX-License-Identifier: Apache-2.0
// Actions for which devices need each other.
#include "tests/soundness/scope.hpp"
#include "tutti/tutti.hpp"

namespace tutti::generated {
namespace {

// Of n positions. Sizes are equal unless they may differ.
Groups groups_of(int n, int number, GroupSizes sizes) {
  Groups groups;
  switch (number % 8) {
    case 1: {  // everyone alone
      for (int i = 0; i < n; ++i) groups.push_back({i});
      return groups;
    }
    case 2: {  // all, in another order
      groups.resize(1);
      for (int i = n; i-- > 0;) groups[0].push_back(i);
      return groups;
    }
    case 3: {  // pairs of neighbours the other way round
      for (int i = 0; i + 1 < n && n % 2 == 0; i += 2) groups.push_back({i + 1, i});
      return groups;
    }
    case 4: {  // the first and the others
      if (sizes == GroupSizes::equal || n == 1) return groups;
      groups = {{0}, {}};
      for (int i = 1; i < n; ++i) groups[1].push_back(i);
      return groups;
    }
    case 5: {  // halves, far apart
      for (int i = 0; i < n / 2 && n % 2 == 0; ++i) groups.push_back({i, i + n / 2});
      return groups;
    }
    default: return groups;
  }
}

/// An operand, the axes, and groups of their positions.
struct Grouped {
  Array x;
  Axes axes;
  Groups groups;
  int size;  // of a group
};
Grouped grouped(const Scope& scope, const Action& action, GroupSizes sizes = GroupSizes::equal) {
  Axes axes = scope.pick_open(action.picks[1]);
  Groups groups = groups_of(joint_size(axes), action.picks[2], sizes);
  Array x = scope.pick(action.picks[0]);
  return {groups.empty() ? x : varying_along(x, axes), axes, groups, group_size(groups, axes)};
}

Array sum_of_all(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action, GroupSizes::any);
  return psum(x, axes, {.groups = groups}) * (1.0 / joint_size(axes));
}

Array mean_of_all(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action, GroupSizes::any);
  return pmean(settled(x, axes), axes, {.groups = groups});
}

Array extremum_of_all(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action, GroupSizes::any);
  return action.picks[3] % 2 == 0 ? pmax(settled(x), axes, {.groups = groups})
                                  : pmin(settled(x), axes, {.groups = groups});
}

Array blocks_of_all(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action);
  Array block = settled(x, axes);
  bool tiled = action.picks[3] % 2 == 0;
  if (tiled) block = at_least(block, 1);
  constexpr State states[] = {varying, invariant, reduced};
  State to = groups.empty() ? states[action.picks[3] % 3] : varying;
  int dims = block.rank() + (tiled ? 0 : 1);
  return all_gather(block, axes, {.dim = action.picks[3] % dims, .tiled = tiled, .to = to, .groups = groups});
}

Array part_of_sum(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action);
  bool tiled = action.picks[3] % 2 == 0;
  Array blocks = tiled ? fitted(x, {2 * size}) : fitted(x, {2, size});
  return psum_scatter(blocks, axes, {.dim = tiled ? 0 : 1, .tiled = tiled, .groups = groups}) *
         (1.0 / joint_size(axes));
}

Array exchange(const Scope& scope, const Action& action) {
  auto [any, axes, groups, size] = grouped(scope, action);
  Array x = settled(any, axes);
  if (action.picks[3] % 3 == 0)
    return all_to_all(fitted(x, {2 * size}), axes, {.tiled = true, .groups = groups});
  if (action.picks[3] % 3 == 1) return pswapaxes(fitted(x, {2, size}), axes, 1, groups);
  return all_to_all(fitted(x, {size, 2}), axes, {.split = 0, .concat = 1, .groups = groups});
}

Array permutation(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  Array x = settled(scope.pick(action.picks[0]), axes);
  int n = joint_size(axes), by = action.picks[2] % n;
  Pairs pairs;
  std::vector<int> sources;
  for (int i = 0; i < n; ++i) {
    sources.push_back((i + by) % n);
    if (action.picks[3] % 3 == 0 || i % 2 == 0) pairs.emplace_back(i, (i + by) % n);
  }
  return action.picks[3] % 3 == 1 ? pshuffle(x, axes, sources) : ppermute(x, axes, pairs);
}

Array value_of_one(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  return pbroadcast(settled(scope.pick(action.picks[0]), axes), axes,
                    {.source = action.picks[2] % joint_size(axes)});
}

Array position(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  Array here = convert(axis_index(axes), scope.dtype) * (1.0 / axis_size(axes));
  return (here + first_element(settled(scope.pick(action.picks[0])))) * 0.5;
}

// By a free move.
Array other_state(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  Array x = settled(scope.pick(action.picks[0]), axes);
  switch (action.picks[2] % 4) {
    case 0: return pcast(x, axes, varying);
    case 1: return pcast(equal_along(x, axes), axes, reduced);
    case 2: return pcast(varying_along(x, axes), axes, unreduced);
    default: return pcast(equal_along(x, axes), axes, invariant);
  }
}

Array masked(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  return mask(equal_along(scope.pick(action.picks[0]), axes), axes,
              {.at = action.picks[2] % joint_size(axes)});
}

Array kept_on_one(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  Array x = pcast(equal_along(scope.pick(action.picks[0]), axes), axes, invariant);
  return keep_on_one(x, axes, {.at = action.picks[2] % joint_size(axes)});
}

// Of devices that are equal, but not in type.
Array assumption(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  return assume_invariant(pcast(equal_along(scope.pick(action.picks[0]), axes), axes, varying), axes);
}

// Each device takes a part by where it stands.
Array own_part(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  Array blocks = fitted(settled(scope.pick(action.picks[0]), axes), {joint_size(axes), 2});
  return dynamic_index_in_dim(blocks, axis_index(axes));
}

}  // namespace

Array collective_value(const Scope& scope, const Action& action) {
  using Collective = Array (*)(const Scope&, const Action&);
  // In the order of Kind.
  static constexpr Collective collectives[] = {sum_of_all,  mean_of_all, extremum_of_all, blocks_of_all,
                                               part_of_sum, exchange,    permutation,     value_of_one,
                                               position,    other_state, masked,          kept_on_one,
                                               assumption,  own_part};
  constexpr auto first = static_cast<std::size_t>(Kind::sum_of_all);
  static_assert(std::size(collectives) == static_cast<std::size_t>(Kind::branch_of_two) - first);
  return collectives[static_cast<std::size_t>(action.kind) - first](scope, action);
}

}  // namespace tutti::generated
