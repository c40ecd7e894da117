// SPDX-License-Identifier: Apache-2.0
// Who communicates with whom in an exchange.
#pragma once

#include <functional>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/devices/groups.hpp"
#include "tutti/types/axis.hpp"

namespace tutti {

/// A digit of the coordinate along an axis: coordinate / weight % size.
struct AxisPart {
  Axis axis;
  std::int64_t weight, size;
  bool operator==(const AxisPart&) const = default;

  std::int64_t of(std::int64_t coordinate) const { return coordinate / weight % size; }
};

/// Positions along axes, in groups unless all communicate with each other.
struct PositionGroups {
  Axes axes;
  Groups groups;
};
/// The positions that differ in these parts only, ordered by them, the first part the slowest.
PositionGroups groups_along(const std::vector<AxisPart>& parts);

/// Equal for blocks of the same elements.
using BlockKey = std::vector<std::int64_t>;
/// The key of each position along the axes.
std::vector<BlockKey> keys_of(const Axes& axes, const std::function<BlockKey(int position)>& key);
/// Pairs each position that needs a block with one that holds it, in order of the targets. A position that
/// holds what it needs keeps it. Every block is held as often as it is needed.
Pairs matched(const std::vector<BlockKey>& held, const std::vector<BlockKey>& needed);

}  // namespace tutti
