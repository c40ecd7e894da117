// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tutti {

/// One loop over elements that lie `stride` bytes apart.
struct StridedLoop {
  std::int64_t size, stride;
};
/// The fewest loops that visit elements in row-major order of `sizes`; sizes of 1 are dropped. One loop of stride 0:
/// the same element throughout. None: one element.
std::vector<StridedLoop> collapsed(std::span<const std::int64_t> sizes,
                                   std::span<const std::int64_t> strides);

/// What a region loops over: rows x columns elements, in tiles of whole rows, or of a piece of one row.
struct Space {
  std::int64_t rows = 1, columns = 1;
  std::int64_t tile_rows = 1, tile_columns = 1;

  std::int64_t elements() const { return rows * columns; }
  std::int64_t tiles_per_row() const;  // 1 if tiles are whole rows
  std::int64_t tiles() const;
  bool operator==(const Space&) const = default;
};
/// `whole_rows`: every row must lie in one tile.
Space tiled(std::int64_t rows, std::int64_t columns, bool whole_rows, std::int64_t tile_elements);

/// How an operand lies over a space.
struct Pattern {
  enum class Kind {
    dense,      // element after element
    scalar,     // one element for all
    row,        // the same row of neighbouring elements for every row
    column,     // one element per row
    strided,    // even steps along rows and columns
    irregular,  // anything else: see loops
  };
  Kind kind = Kind::dense;
  std::int64_t row_stride = 0, column_stride = 0;
  std::vector<StridedLoop> loops;  // if irregular
};
Pattern pattern_of(const std::vector<StridedLoop>& loops, std::int64_t rows, std::int64_t columns,
                   std::int64_t element_bytes);

}  // namespace tutti
