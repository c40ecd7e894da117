// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/positions.hpp"

#include <algorithm>

#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/stacking.hpp"

namespace tutti {
namespace {

std::vector<int> in_mesh_order(std::vector<int> group, Axes axes) {
  Axes given = axes;
  std::ranges::sort(axes);
  auto number = [&](int position) {
    int n = 0;
    for (const Axis& axis : axes) n = n * axis.size + coordinate_of(given, position, axis);
    return n;
  };
  std::ranges::sort(group, {}, number);
  return group;
}

// [n]: true for the positions of `group`.
Array is_in(const std::vector<int>& group, std::int64_t n) {
  Tensor is_in(Shape{n}, DType::boolean);
  for (int position : group) is_in.mutable_bytes()[position] = std::byte{1};
  return constant(is_in);
}

}  // namespace

Array of_all_positions(const Batched& x, const Axes& axes, const Axis& axis) {
  Array lanes = materialised(x, axis);
  Axes rest = without(axes, axis);
  if (rest.empty()) return lanes;
  Array blocks = all_gather(lanes, rest, Dim{0}, Stacking::new_dim, State::invariant);
  return merge_lanes(blocks, axes, axis, Dim{0}, Stacking::new_dim);
}

BatchedArrays to_own_positions(const Array& all, const Axes& axes, const Axis& axis) {
  Axes rest = without(axes, axis);
  if (rest.empty()) return {{all, true}};
  Array lanes = split_lanes(all, axes, axis, Dim{0}, Stacking::new_dim);  // [n of rest, n of axis, ..]
  return {{own_block(lanes, rest, Dim{0}, Stacking::new_dim), true}};
}

Array fold_groups(const Array& all, ReduceKind kind, const Axes& axes, const Groups& groups) {
  std::int64_t n = all.shape()[0];
  std::optional<Array> result;
  for (const std::vector<int>& group : groups) {
    Array members = take_rows(all, in_mesh_order(group, axes));
    Array folded = insert_dim(apply_one(Reduce{kind, {Dim{0}}}, {members}), Dim{0}, n);
    if (result) result = select(broadcast_in_dim(is_in(group, n), all.shape(), {0}), folded, *result);
    else result = folded;
  }
  return *result;
}

}  // namespace tutti
