// SPDX-License-Identifier: Apache-2.0
// Shared code of dynamic_slice and dynamic_update_slice: scalar starts of a window, one per dim of an array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tutti/ops/indexing.hpp"
#include "tutti/ops/window_dims.hpp"
#include "tutti/tensor/loops/copies.hpp"

namespace tutti {

/// Throws T006 unless `starts` has one per dim of x, T005 unless they are scalars, T007 unless they are
/// integers of one dtype.
void require_starts(Type x, const Types& starts, std::string_view count_label, std::string_view dtype_label);

/// A window of a dense array, ready to be copied out of it or into it.
struct WindowInMemory {
  std::vector<CopyLoop> loops;  // to: in the window, from: in the array
  std::vector<std::int64_t> limits;
  DType start_dtype = DType::i32;
  std::size_t element_bytes = 0;

  /// Bytes from the array's start to the window's.
  std::int64_t offset(std::span<const std::byte* const> starts) const;
};
WindowInMemory window_in_memory(Type array, const Shape& window, DType start_dtype);

/// Starts as users give them: numbers take the dtype of the first array among them, i32 if there is none.
Arrays as_starts(const std::vector<Operand>& starts);
/// Start `start` along `dim`, 0 along the others.
std::vector<Operand> start_in_dim(Type x, const Operand& start, Dim dim);

/// The operands of an op, the starts from number `first` on brought so far that a window of this shape lies
/// inside of operand 0; a start that is known to be right stays as it is. XLA does the same for one op, but
/// folds a window of a window into one whose start is the sum of both, and forgets it there.
Lowered with_starts_inside(Emitter& emitter, const Lowered& operands, std::size_t first, const Shape& window);

/// Starts that differ between lanes: [lanes, rank] of i32 or i64, a vector per lane.
Array vectors_of_starts(const BatchedArrays& starts, const Axis& axis);
/// The windows that they name in an array that has lanes, or not.
GatherDims windows_of_lanes(int rank, bool array_has_lanes);

}  // namespace tutti
