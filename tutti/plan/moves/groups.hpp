// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/types/shape.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

using DeviceGroups = std::vector<std::vector<int>>;

/// The axes along which a device that sends may differ from one that receives what it sends: those that stand
/// elsewhere before than after, the axes of `after` first, dim by dim, then those that only dims of `before`
/// have, then others.
Axes step_axes(const Sharding& before, const Sharding& after);
/// The same for an exchange of boxes. Where a dim does not divide, splitting it otherwise cuts it elsewhere:
/// then devices that differ along any of its axes exchange elements.
Axes exchange_axes(const Sharding& before, const Sharding& after, const Shape& shape);
/// The devices that differ along `axes` only, in the order of these axes, the first the slowest.
DeviceGroups groups_along(const Mesh& mesh, const Axes& axes);
/// {sender, receiver} for each block that moves, ascending. Both shardings have as many parts of each dim.
/// A device that already holds the block that it needs sends and receives nothing.
DeviceGroups permutation_pairs(const Sharding& before, const Sharding& after);

/// The axes of `axes` that are not among `others`, in their order.
Axes without(const Axes& axes, const Axes& others);

}  // namespace tutti
