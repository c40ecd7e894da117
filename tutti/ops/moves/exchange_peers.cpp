// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/moves/exchange_peers.hpp"

#include <algorithm>
#include <map>

#include "tutti/ops/stacking.hpp"

namespace tutti {
namespace {

/// The parts are all those of each of their axes, the slowest first.
bool are_whole_axes(const std::vector<AxisPart>& parts) {
  Axes seen;
  std::int64_t left = 1;  // of the coordinate along the last axis seen
  for (const AxisPart& part : parts) {
    const bool begins = !contains(seen, part.axis);
    if (begins && left != 1) return false;
    if (begins) {
      seen.push_back(part.axis);
      left = part.axis.size;
    }
    if (seen.back() != part.axis || left != part.weight * part.size) return false;
    left = part.weight;
  }
  return left == 1;
}

Groups groups_of(const std::vector<AxisPart>& parts, const Axes& axes) {
  std::map<std::int64_t, std::map<std::int64_t, int>> positions;  // by what else they are, then by the parts
  for (int position = 0; position < joint_size(axes); ++position) {
    std::int64_t own = 0, rest = position;
    for (const AxisPart& part : parts) {
      const std::int64_t value = part.of(coordinate_of(axes, position, part.axis));
      own = own * part.size + value;
      rest -= value * part.weight * size_after(axes, part.axis);
    }
    positions[rest][own] = position;
  }
  Groups groups;
  for (const auto& [rest, by_parts] : positions) {
    groups.emplace_back();
    for (const auto& [own, position] : by_parts) groups.back().push_back(position);
  }
  return groups;
}

}  // namespace

PositionGroups groups_along(const std::vector<AxisPart>& parts) {
  PositionGroups found;
  for (const AxisPart& part : parts)
    if (!contains(found.axes, part.axis)) found.axes.push_back(part.axis);
  if (!are_whole_axes(parts)) found.groups = groups_of(parts, found.axes);
  return found;
}

std::vector<BlockKey> keys_of(const Axes& axes, const std::function<BlockKey(int position)>& key) {
  std::vector<BlockKey> keys;
  for (int position = 0; position < joint_size(axes); ++position) keys.push_back(key(position));
  return keys;
}

Pairs matched(const std::vector<BlockKey>& held, const std::vector<BlockKey>& needed) {
  Pairs pairs;
  std::map<BlockKey, std::vector<int>> sources;  // the last one is the next to send
  for (int i = static_cast<int>(held.size()); i-- > 0;) {
    const auto at = static_cast<std::size_t>(i);
    if (held[at] != needed[at]) sources[held[at]].push_back(i);
  }
  for (int i = 0; i < static_cast<int>(needed.size()); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (held[at] == needed[at]) {
      pairs.emplace_back(i, i);
      continue;
    }
    std::vector<int>& free = sources.at(needed[at]);
    pairs.emplace_back(free.back(), i);
    free.pop_back();
  }
  return pairs;
}

}  // namespace tutti
