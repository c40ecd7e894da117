// SPDX-License-Identifier: Apache-2.0
// The blocks of an array under a sharding, as a picture shows them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tutti/types/shape.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti::internal {

/// Elements of a dim from `begin` up to, not including, `end`.
struct Interval {
  std::int64_t begin, end;
  auto operator<=>(const Interval&) const = default;
};

/// The distinct blocks of an array: one for each choice of an interval per dim. Positions are those of the
/// mesh, ascending.
struct BlockGrid {
  std::vector<std::vector<Interval>> dims;  // per dim: the intervals, ascending; none is empty
  std::vector<std::vector<int>> holders;    // per block, row-major over the intervals: who holds it
  std::vector<int> without_block;           // positions whose block has no elements

  /// The number of the block that has interval at[d] of each dim d.
  std::size_t block(std::span<const std::size_t> at) const;
  std::size_t parts(std::optional<int> dim) const;  // 1 for no dim
};
BlockGrid block_grid(const Shape& whole, const Sharding& sharding);

/// The dims that stand for the height and the width of a picture. A line has no height, a scalar neither.
struct ShownDims {
  std::optional<int> down, across;
};
/// Dims 0 and 1.
ShownDims first_dims(int rank);
/// The last two dims that are split; if fewer are split, the last dims of the array fill up.
ShownDims split_dims(const BlockGrid& grid);

/// The blocks of a picture's panel: `at` has an interval of each dim, and 0 for the shown dims.
using Panel = std::vector<std::size_t>;
/// A panel for each choice of intervals along the dims that are not shown, row-major.
std::vector<Panel> panels_of(const BlockGrid& grid, const ShownDims& shown);
/// Who holds the block in a row and a column of a panel.
const std::vector<int>& holders_in(const BlockGrid& grid, const ShownDims& shown, Panel panel,
                                   std::size_t row, std::size_t column);

}  // namespace tutti::internal
