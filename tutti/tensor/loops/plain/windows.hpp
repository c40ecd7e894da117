// SPDX-License-Identifier: Apache-2.0
// The loops of gather and scatter: windows of an array, at starts that an array of indices gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti::ops {

/// The layout of the windows. A window starts at its index vector and covers the loops of `window`. Strides:
/// bytes.
struct Windows {
  /// One loop over windows, outermost first.
  struct Batch {
    std::int64_t size;
    std::int64_t indices_stride, windows_stride;
    std::int64_t array_stride;  // not 0 if array and indices share this batch dim
  };
  /// One component of an index vector.
  struct Start {
    std::int64_t indices_offset, array_stride;
    std::int64_t limit;  // the largest start at which a window lies inside
  };
  std::vector<Batch> batch;
  std::vector<Start> starts;
  std::vector<internal::CopyLoop> window;  // to_stride: in the windows; from_stride: in the array
  DType index_dtype = DType::i32;
  std::int64_t count() const;                                                   // number of windows
  std::int64_t outermost() const { return batch.empty() ? 1 : batch[0].size; }  // iterations
};

/// windows[i] = the window of `array` at indices[i], whose components are clamped so that the window lies
/// inside.
/// The outermost loop over windows, if there is one, does only the iterations [begin, end).
void gather_windows(std::byte* windows, const std::byte* array, const std::byte* indices,
                    const Windows& layout, std::size_t element_bytes, std::int64_t begin, std::int64_t end);
inline void gather_windows(std::byte* windows, const std::byte* array, const std::byte* indices,
                           const Windows& layout, std::size_t element_bytes) {
  gather_windows(windows, array, indices, layout, element_bytes, 0, layout.outermost());
}

/// The function that combines an element of the array with one of the updates.
enum class ScatterKind : std::uint8_t { add, replace, multiply, min, max };
/// "add", "replace", "multiply", "min" or "max".
std::string_view name(ScatterKind kind);

/// Combines windows[i] with the window of `array` at indices[i], in row-major order of i. Skips a window that
/// is not entirely inside. `add` and `multiply` take no bool, and round to f16 or bf16 after each step; `min`
/// and `max` take no complex numbers.
void scatter_windows(std::byte* array, const std::byte* indices, const std::byte* windows,
                     const Windows& layout, DType dtype, ScatterKind kind);

}  // namespace tutti::ops
