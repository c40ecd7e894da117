// SPDX-License-Identifier: Apache-2.0
// Windows of an array that lie where a table of indices says: the loops of gather and scatter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tutti/tensor/loops/copies.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// All strides in bytes. A window starts where its index vector says, and reaches over `window`.
struct Windows {
  /// One loop over windows, outermost first.
  struct Batch {
    std::int64_t size;
    std::int64_t indices_stride, windows_stride;
    std::int64_t array_stride;  // not 0 where the array goes along with the indices
  };
  /// One component of an index vector.
  struct Start {
    std::int64_t indices_offset, array_stride;
    std::int64_t limit;  // the last start of a window that lies inside
  };
  std::vector<Batch> batch;
  std::vector<Start> starts;
  std::vector<CopyLoop> window;  // to: in the array of all windows, from: in the array they are of
  DType index_dtype = DType::i32;
  std::int64_t count() const;  // of windows
};

/// windows[i] = the window of `array` at indices[i], each start first brought into bounds.
void gather_windows(std::byte* windows, const std::byte* array, const std::byte* indices,
                    const Windows& layout, std::size_t element_bytes);

/// What happens to elements that are there.
enum class ScatterKind : std::uint8_t { add, replace };
std::string_view name(ScatterKind kind);

/// Adds to the window of `array` at indices[i], or replaces it by, windows[i], in row-major order of i. A window that
/// does not lie inside is left out, whole. No sums of bool, f16 and
/// bf16: Scatter widens those.
void scatter_windows(std::byte* array, const std::byte* indices, const std::byte* windows,
                     const Windows& layout, DType dtype, ScatterKind kind);

}  // namespace tutti
