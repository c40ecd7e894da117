// SPDX-License-Identifier: Apache-2.0
// The frames of an array's blocks as SVG.
#pragma once

#include <optional>
#include <string>

#include "tutti/page/block_grid.hpp"
#include "tutti/page/svg.hpp"

namespace tutti::internal {

/// Draws the blocks of an array into `area`: a frame for each, in it a tile for each device that holds it.
/// Lengths are proportional to elements. A tile has its device's number if there is room; + marks a term of a
/// sum. Without a `panel`, blocks that differ along other dims than the shown ones share a frame.
/// colours: one more than the largest number of a device.
std::string frames(const Shape& whole, const Sharding& sharding, const BlockGrid& grid,
                   const ShownDims& shown, const std::optional<Panel>& panel, const Area& area, int colours);

/// "without a block: 3, 7"; empty if every device has one.
std::string without_block(const Sharding& sharding, const BlockGrid& grid);

/// One more than the largest number of a device.
int colours_of(const Mesh& mesh);

}  // namespace tutti::internal
