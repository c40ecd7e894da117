// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/windows.hpp"

#include <algorithm>
#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {
namespace {

/// One component of an index vector, i32 or i64.
std::int64_t index_at(const std::byte* at, DType dtype) {
  if (dtype == DType::i64) {
    std::int64_t index = 0;
    std::memcpy(&index, at, sizeof index);
    return index;
  }
  std::int32_t index = 0;
  std::memcpy(&index, at, sizeof index);
  return index;
}

/// Calls f with three byte offsets for each window: of its index vector in the indices, of the window in the windows,
/// and of its start in the array along the batch dims that array and indices share.
template <class F>
void for_each_window(const Windows& layout, std::size_t loop, std::int64_t indices, std::int64_t windows,
                     std::int64_t array, F&& f) {
  if (loop == layout.batch.size()) return f(indices, windows, array);
  const Windows::Batch& batch = layout.batch[loop];
  for (std::int64_t i = 0; i < batch.size; ++i)
    for_each_window(layout, loop + 1, indices + i * batch.indices_stride, windows + i * batch.windows_stride,
                    array + i * batch.array_stride, f);
}

/// array += window, element by element.
template <class T>
void add_window(std::byte* array, const std::byte* window, std::span<const CopyLoop> loops) {
  if (loops.empty()) {
    T a, b;
    std::memcpy(&a, array, sizeof a);
    std::memcpy(&b, window, sizeof b);
    a = sum_of(a, b);
    std::memcpy(array, &a, sizeof a);
    return;
  }
  for (std::int64_t i = 0; i < loops[0].size; ++i)
    add_window<T>(array + i * loops[0].from_stride, window + i * loops[0].to_stride, loops.subspan(1));
}

using AddWindow = void (*)(std::byte* array, const std::byte* window, std::span<const CopyLoop> loops);
AddWindow add_window_of(DType dtype) {
  return with_element(dtype, [&]<class T>(std::type_identity<T>) -> AddWindow {
    if constexpr (std::same_as<T, bool> || is_half_element<T>)
      fail(Code::internal, "a sum of {}", name(dtype));
    else return add_window<T>;
  });
}

}  // namespace

std::int64_t Windows::count() const {
  std::int64_t count = 1;
  for (const Batch& loop : batch) count *= loop.size;
  return count;
}

std::string_view name(ScatterKind kind) {
  switch (kind) {
    case ScatterKind::add: return "add";
    case ScatterKind::replace: return "replace";
  }
  return {};
}

void gather_windows(std::byte* windows, const std::byte* array, const std::byte* indices,
                    const Windows& layout, std::size_t element_bytes) {
  for_each_window(layout, 0, 0, 0, 0, [&](std::int64_t index, std::int64_t window, std::int64_t from) {
    for (const Windows::Start& start : layout.starts) {
      std::int64_t wanted = index_at(indices + index + start.indices_offset, layout.index_dtype);
      from += std::clamp<std::int64_t>(wanted, 0, start.limit) * start.array_stride;
    }
    strided_copy(windows + window, array + from, layout.window, element_bytes);
  });
}

void scatter_windows(std::byte* array, const std::byte* indices, const std::byte* windows,
                     const Windows& layout, DType dtype, ScatterKind kind) {
  AddWindow add = kind == ScatterKind::add ? add_window_of(dtype) : nullptr;
  std::vector<CopyLoop> turned = layout.window;  // copies go from the windows to the array
  for (CopyLoop& loop : turned) std::swap(loop.to_stride, loop.from_stride);
  for_each_window(layout, 0, 0, 0, 0, [&](std::int64_t index, std::int64_t window, std::int64_t to) {
    for (const Windows::Start& start : layout.starts) {
      std::int64_t wanted = index_at(indices + index + start.indices_offset, layout.index_dtype);
      if (wanted < 0 || wanted > start.limit) return;
      to += wanted * start.array_stride;
    }
    if (add) add(array + to, windows + window, layout.window);
    else strided_copy(array + to, windows + window, turned, bytes_per_element(dtype));
  });
}

}  // namespace tutti
