// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/moves/groups.hpp"

#include <algorithm>
#include <tuple>

#include "tutti/ops/moves/exchange_peers.hpp"

namespace tutti {
namespace {

/// Where an axis stands: nowhere, in the list of unreduced axes, or in a dim after axes of so many parts.
using Place = std::tuple<int, int>;
Place place_of(const Axis& axis, const Sharding& sharding) {
  for (std::size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    int parts = 1;
    for (const Axis& other : sharding.dims[dim]) {
      if (other == axis) return {static_cast<int>(dim), parts};
      parts *= other.size;
    }
  }
  return {contains(sharding.unreduced, axis) ? -1 : -2, 1};
}

void add_new(Axes& axes, const Axes& others, const std::vector<Axis>& moved) {
  for (const Axis& axis : others)
    if (contains(moved, axis) && !contains(axes, axis)) axes.push_back(axis);
}

/// For each device of `group` the numbers of its blocks along all dims.
std::vector<BlockKey> blocks_of(const std::vector<int>& group, const Sharding& sharding) {
  std::vector<BlockKey> blocks;
  for (int device : group) {
    blocks.emplace_back();
    for (const Axes& axes : sharding.dims) blocks.back().push_back(sharding.mesh.position(device, axes));
  }
  return blocks;
}

/// Sender and receiver for each block that moves among `group`.
std::vector<std::pair<int, int>> pairs_in(const std::vector<int>& group, const Sharding& before,
                                          const Sharding& after) {
  std::vector<std::pair<int, int>> pairs;
  for (const auto& [sender, receiver] : matched(blocks_of(group, before), blocks_of(group, after)))
    if (sender != receiver)
      pairs.emplace_back(group[static_cast<std::size_t>(sender)], group[static_cast<std::size_t>(receiver)]);
  return pairs;
}

}  // namespace

Axes without(const Axes& axes, const Axes& others) {
  Axes left = axes;
  std::erase_if(left, [&](const Axis& axis) { return contains(others, axis); });
  return left;
}

Axes step_axes(const Sharding& before, const Sharding& after) {
  Axes moved, in_order;
  for (const Axis& axis : before.mesh.axes())
    if (axis.size > 1 && place_of(axis, before) != place_of(axis, after)) moved.push_back(axis);
  for (const Axes& axes : after.dims) add_new(in_order, axes, moved);
  for (const Axes& axes : before.dims) add_new(in_order, axes, moved);
  add_new(in_order, moved, moved);
  return in_order;
}

Axes exchange_axes(const Sharding& before, const Sharding& after, const Shape& shape) {
  Axes axes = step_axes(before, after);
  for (std::size_t dim = 0; dim < before.dims.size(); ++dim) {
    const Axes &a = before.dims[dim], &b = after.dims[dim];
    const std::int64_t n = shape[static_cast<int>(dim)];
    if (a == b || (n % joint_size(a) == 0 && n % joint_size(b) == 0)) continue;
    for (const Axes& some : {b, a})
      for (const Axis& axis : some)
        if (axis.size > 1 && !contains(axes, axis)) axes.push_back(axis);
  }
  return axes;
}

DeviceGroups groups_along(const Mesh& mesh, const Axes& axes) {
  std::vector<int> first{0};  // the group of device 0
  for (const Axis& axis : axes) {
    std::vector<int> wider;
    for (int device : first)
      for (int i = 0; i < axis.size; ++i) wider.push_back(device + i * mesh.stride(axis));
    first = std::move(wider);
  }
  std::vector<int> begins{0};
  for (const Axis& axis : mesh.axes()) {
    std::vector<int> more;
    for (int device : begins)
      for (int i = 0; i < (contains(axes, axis) ? 1 : axis.size); ++i)
        more.push_back(device + i * mesh.stride(axis));
    begins = std::move(more);
  }
  DeviceGroups groups;
  for (int begin : begins) {
    groups.push_back(first);
    for (int& device : groups.back()) device += begin;
  }
  return groups;
}

DeviceGroups permutation_pairs(const Sharding& before, const Sharding& after) {
  // Blocks move only along the axes of the step, in the same way in all groups along them.
  const DeviceGroups groups = groups_along(before.mesh, step_axes(before, after));
  const std::vector<std::pair<int, int>> pairs = pairs_in(groups[0], before, after);
  DeviceGroups all;
  for (const std::vector<int>& group : groups)
    for (const auto& [sender, receiver] : pairs) all.push_back({sender + group[0], receiver + group[0]});
  std::ranges::sort(all);
  return all;
}

}  // namespace tutti
