// SPDX-License-Identifier: Apache-2.0
// The loops of ragged_copy: slices of rows, at offsets and of lengths known only at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tutti/types/dtype.hpp"

namespace tutti {

/// Rows of an array go to rows of another one. Both are blocks of equally many rows, one after another.
struct RowSlice {
  std::int64_t from, size,
      to;  // rows: the first of the source's block, fault many, the first of the target's
  std::int64_t source = 0, target = 0;  // blocks
};

/// The first fault of slices. `other` is the second one of `overlap`.
struct WrongSlice {
  enum class Fault { size, from, to, overlap } fault;
  std::size_t slice, other = 0;
};
/// On which side slices must not meet: where they land, or where they are taken from.
enum class Disjoint : std::uint8_t { sources, targets };
/// Finds the first slice with less than no rows, outside of its block of `source_rows` or `target_rows`, or
/// that overlaps one before. Empty slices may start anywhere from 0 to the number of rows. Takes O(n log n)
/// for n slices.
std::optional<WrongSlice> wrong_slice(std::span<const RowSlice> slices, std::int64_t source_rows,
                                      std::int64_t target_rows, Disjoint disjoint);

/// The two arrays that slices go between: dense rows.
struct RowArrays {
  const std::byte* source;
  std::byte* target;
  std::int64_t source_rows, target_rows;  // of one block
  std::int64_t target_blocks;
  std::int64_t row_elements;
};
/// Copies `before` to the target, and the rows of the slices from the source. `before` may be the target
/// itself; else only its other rows are read. The slices are right, and disjoint in the target.
void replace_slices(const RowArrays& rows, const std::byte* before, std::vector<RowSlice> slices,
                    std::size_t element_bytes);
/// target = before, and to the rows of the slices the source's are added, slice after slice. f16 and bf16 are
/// refused (I001): they are added in f32, and rounded once.
void add_slices(const RowArrays& rows, const std::byte* before, std::span<const RowSlice> slices,
                DType dtype);

}  // namespace tutti
