// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tutti {

/// A loop over elements that lie `stride` bytes apart.
struct StridedLoop {
  std::int64_t size, stride;
};
/// The fewest loops that visit elements in row-major order of `sizes`, without sizes of 1. One loop of stride
/// 0 repeats an element; no loop visits a single element.
std::vector<StridedLoop> collapsed(std::span<const std::int64_t> sizes,
                                   std::span<const std::int64_t> strides);

/// The iteration space of a region: rows x columns elements, in tiles of whole rows or of a piece of one row.
struct Space {
  std::int64_t rows = 1, columns = 1;
  std::int64_t tile_rows = 1, tile_columns = 1;

  std::int64_t elements() const { return rows * columns; }
  std::int64_t tiles_per_row() const;  // 1 if tiles are whole rows
  std::int64_t tiles() const;
  bool operator==(const Space&) const = default;
};
/// Divides rows x columns elements into tiles of about `tile_elements`. `whole_rows`: never divides a row.
Space tiled(std::int64_t rows, std::int64_t columns, bool whole_rows, std::int64_t tile_elements);

/// The access pattern of an operand over a space.
struct Pattern {
  enum class Kind {
    dense,      // contiguous
    scalar,     // one element for all
    row,        // contiguous; every row reads the same elements
    column,     // one element per row
    strided,    // constant strides along rows and columns
    irregular,  // anything else: see loops
  };
  Kind kind = Kind::dense;
  std::int64_t row_stride = 0, column_stride = 0;
  std::vector<StridedLoop> loops;  // if irregular
};
Pattern pattern_of(const std::vector<StridedLoop>& loops, std::int64_t rows, std::int64_t columns,
                   std::int64_t element_bytes);

}  // namespace tutti
