// SPDX-License-Identifier: Apache-2.0
// Actions for which devices need each other.
#include <algorithm>

#include "tests/soundness/scope.hpp"
#include "tests/support/shardings.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/tutti.hpp"

namespace tutti::generated {
namespace {

// Groups of n positions. Sizes are equal unless they may differ.
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

/// Whether a collective is one call, or is started and finished with other equations in between.
enum class How { at_once, in_halves };

/// The result of a collective that was started, and half of another value that is computed meanwhile.
Array finished(const Scope& scope, const Action& action, const Future<Array>& future) {
  std::pair both{future, scope.pick(action.picks[2]) * 0.5};
  // Collectives choose their kind and form by picks[3] % 2 and % 3.
  if (action.picks[3] / 6 % 2 == 0) both = optimization_barrier(both);
  auto [x, y] = as_summands(both.first.done(), both.second, 0);
  return (x + y) * 0.5;
}

template <How how>
Array sum_of_all(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action, GroupSizes::any);
  AllReduceOptions options{groups};
  double each = 1.0 / joint_size(axes);
  if constexpr (how == How::at_once) return psum(x, axes, options) * each;
  else return finished(scope, action, psum_start(x * each, axes, options));
}

template <How how>
Array mean_of_all(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action, GroupSizes::any);
  AllReduceOptions options{groups};
  Array values = settled(x, axes);
  if constexpr (how == How::at_once) return pmean(values, axes, options);
  else return finished(scope, action, pmean_start(values, axes, options));
}

template <How how>
Array extremum_of_all(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action, GroupSizes::any);
  AllReduceOptions options{groups};
  bool is_maximum = action.picks[3] % 2 == 0;
  Array values = settled(x);
  if constexpr (how == How::at_once)
    return is_maximum ? pmax(values, axes, options) : pmin(values, axes, options);
  else
    return finished(scope, action,
                    is_maximum ? pmax_start(values, axes, options) : pmin_start(values, axes, options));
}

template <How how>
Array blocks_of_all(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action);
  Array block = settled(x, axes);
  bool tiled = action.picks[3] % 2 == 0;
  if (tiled) block = at_least(block, 1);
  constexpr State states[] = {varying, invariant, reduced};
  State to = groups.empty() ? states[action.picks[3] % 3] : varying;
  int dims = block.rank() + (tiled ? 0 : 1);
  AllGatherOptions options{.dim = action.picks[3] % dims, .tiled = tiled, .to = to, .groups = groups};
  if constexpr (how == How::at_once) return all_gather(block, axes, options);
  else return finished(scope, action, all_gather_start(block, axes, options));
}

template <How how>
Array part_of_sum(const Scope& scope, const Action& action) {
  auto [x, axes, groups, size] = grouped(scope, action);
  bool tiled = action.picks[3] % 2 == 0;
  Array blocks = tiled ? fitted(x, {2 * size}) : fitted(x, {2, size});
  PsumScatterOptions options{.dim = tiled ? 0 : 1, .tiled = tiled, .groups = groups};
  double each = 1.0 / joint_size(axes);
  if constexpr (how == How::at_once) return psum_scatter(blocks, axes, options) * each;
  else return finished(scope, action, psum_scatter_start(blocks * each, axes, options));
}

template <How how>
Array exchange(const Scope& scope, const Action& action) {
  auto [any, axes, groups, size] = grouped(scope, action);
  Array x = settled(any, axes);
  int form = action.picks[3] % 3;
  bool tiled = form == 0;
  AllToAllOptions options{.split = form == 1 ? 1 : 0,
                          .concat = tiled ? 0 : 1,
                          .tiled = tiled,
                          .groups = groups};
  Array blocks = tiled ? fitted(x, {2 * size}) : form == 1 ? fitted(x, {2, size}) : fitted(x, {size, 2});
  if constexpr (how == How::in_halves)
    return finished(scope, action, all_to_all_start(blocks, axes, options));
  if (form == 1) return pswapaxes(blocks, axes, 1, groups);
  return all_to_all(blocks, axes, options);
}

struct Permuted {
  Axes axes;
  Array x;
  std::vector<int> sources;
  Pairs pairs;
};
Permuted permuted(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  Permuted made{axes, settled(scope.pick(action.picks[0]), axes), {}, {}};
  int n = joint_size(axes), by = action.picks[2] % n;
  for (int i = 0; i < n; ++i) {
    made.sources.push_back((i + by) % n);
    if (action.picks[3] % 3 == 0 || i % 2 == 0) made.pairs.emplace_back(i, (i + by) % n);
  }
  return made;
}

template <How how>
Array permutation(const Scope& scope, const Action& action) {
  auto [axes, x, sources, pairs] = permuted(scope, action);
  if constexpr (how == How::in_halves) return finished(scope, action, ppermute_start(x, axes, pairs));
  return action.picks[3] % 3 == 1 ? pshuffle(x, axes, sources) : ppermute(x, axes, pairs);
}

// Sends two arrays at once. Another value is computed before they are received.
Array sent(const Scope& scope, const Action& action) {
  auto [axes, x, sources, pairs] = permuted(scope, action);
  Array other = settled(scope.pick(action.picks[1]), axes);
  auto token = psend(std::pair{x, other}, axes, pairs);
  Array meanwhile = settled(other) * 0.5;
  auto [first, second] = precv(token, std::pair{x, other}, axes, pairs);
  auto [a, b] = as_summands(first, second, 0);
  auto [c, d] = as_summands(a + b, meanwhile, 0);
  return (c + d) * 0.3;
}

template <How how>
Array value_of_one(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  Array x = settled(scope.pick(action.picks[0]), axes);
  PbroadcastOptions options{.source = action.picks[2] % joint_size(axes)};
  if constexpr (how == How::at_once) return pbroadcast(x, axes, options);
  else return finished(scope, action, pbroadcast_start(x, axes, options));
}

/// `n` numbers of rows, 0 to 2, known when the program runs.
Array rows_of_slices(const Scope& scope, const Action& action, int n) {
  Array number = whole_number(scope, scope.pick(action.picks[1]), action.picks[2]);
  Array first = number.rank() == 0 ? number : index_in_dim(number, 0);
  return rem(abs(first) + arange(n, DType::i32) * (1 + action.picks[3] % 2), 3);
}

// Slices overlap where they are taken from. They land without gaps.
template <How how>
Array ragged_exchange(const Scope& scope, const Action& action) {
  auto [any, axes, groups, size] = grouped(scope, action);
  const int slices = size * (1 + action.picks[3] % 2);
  Array sizes = rows_of_slices(scope, action, slices);
  auto rows = [&](const Array& x, std::int64_t count) {
    return fitted(settled(settled(x, stored_axes(sizes)), axes), Shape{count});
  };
  Array x = rows(any, 4), output = as_summed_as(rows(scope.pick(action.picks[2]), 2 * slices + 1), x);
  RaggedSlices given{rem(arange(slices, DType::i32), 3), sizes,
                     packed_offsets(sizes, axes, {.groups = groups})};
  if (action.picks[3] % 3 == 0) given.recv_sizes = all_to_all(sizes, axes, {.tiled = true, .groups = groups});
  RaggedOptions options{.groups = groups};
  if constexpr (how == How::at_once) return ragged_all_to_all(x, output, given, axes, options);
  else return finished(scope, action, ragged_all_to_all_start(x, output, given, axes, options));
}

Array position(const Scope& scope, const Action& action) {
  Axes axes = scope.pick_open(action.picks[1]);
  Array here = convert(axis_index(axes), scope.dtype) * (1.0 / axis_size(axes));
  return (here + first_element(settled(scope.pick(action.picks[0])))) * 0.5;
}

// Another state, by a free move.
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

// A value that is equal on devices, but not in type.
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

/// A matrix of 2n by n elements on the n devices of one or two axes, and two of all its shardings.
struct Resharded {
  Array x;  // the part under `from`
  Shape whole;
  Sharding from, to;
};
/// Meshes have no axes of vmap: these are left out.
Resharded resharded(const Scope& scope, const Action& action, Sums sums) {
  Axes axes = scope.pick_open(action.picks[1]);
  std::erase_if(axes, [](const Axis& axis) { return !is_mesh_axis(axis); });
  axes.resize(std::min<std::size_t>(axes.size(), 2));
  std::ranges::sort(axes);
  const Mesh mesh = Mesh::of(axes);
  const std::vector<Sharding> all = all_shardings(mesh, 2, sums);
  auto chosen = [&](int n) { return all[static_cast<std::size_t>(n) % all.size()]; };
  const Sharding from = chosen(action.picks[2]), to = chosen(action.picks[3]);
  const std::int64_t n = mesh.devices();
  const Shape whole{2 * n, n};
  const Type part = local_type(Type(scope.dtype, whole), from);
  Array x = fitted(settled(scope.pick(action.picks[0]), axes), part.shape());
  for (const Axis& axis : axes) {
    if (part.at(axis) == State::varying) x = varying_along(x, {axis});
    else if (part.at(axis) == State::unreduced) x = terms_along(x, {axis});
    else x = pcast(equal_along(x, {axis}), axis, invariant);
  }
  return {x, whole, from, to};
}

Array other_sharding(const Scope& scope, const Action& action) {
  auto [x, whole, from, to] = resharded(scope, action, Sums::excluded);
  return tutti::exchange(x, whole, from, to);
}

// Another sharding, by the steps of a plan: moves of blocks between two sums are one exchange.
Array other_sharding_of_terms(const Scope& scope, const Action& action) {
  auto [x, whole, from, to] = resharded(scope, action, Sums::included);
  const double each = 1.0 / joint_size(from.unreduced);
  return reshard(x, parse_spec(to_string(from)), parse_spec(to_string(to))) * each;
}

}  // namespace

Array collective_value(const Scope& scope, const Action& action) {
  using Collective = Array (*)(const Scope&, const Action&);
  // In the order of Kind.
  static constexpr Collective collectives[] = {sum_of_all<How::at_once>,
                                               mean_of_all<How::at_once>,
                                               extremum_of_all<How::at_once>,
                                               blocks_of_all<How::at_once>,
                                               part_of_sum<How::at_once>,
                                               exchange<How::at_once>,
                                               permutation<How::at_once>,
                                               value_of_one<How::at_once>,
                                               position,
                                               other_state,
                                               masked,
                                               kept_on_one,
                                               assumption,
                                               own_part,
                                               sum_of_all<How::in_halves>,
                                               mean_of_all<How::in_halves>,
                                               extremum_of_all<How::in_halves>,
                                               blocks_of_all<How::in_halves>,
                                               part_of_sum<How::in_halves>,
                                               exchange<How::in_halves>,
                                               permutation<How::in_halves>,
                                               value_of_one<How::in_halves>,
                                               sent,
                                               ragged_exchange<How::at_once>,
                                               ragged_exchange<How::in_halves>,
                                               other_sharding,
                                               other_sharding_of_terms};
  constexpr auto first = static_cast<std::size_t>(Kind::sum_of_all);
  static_assert(std::size(collectives) == static_cast<std::size_t>(Kind::branch_of_two) - first);
  return collectives[static_cast<std::size_t>(action.kind) - first](scope, action);
}

}  // namespace tutti::generated
