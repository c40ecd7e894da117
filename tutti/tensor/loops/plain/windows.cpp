// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/windows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "tutti/tensor/loops/elementwise.hpp"
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

/// Calls f with three byte offsets for each window of these loops: of its index vector in the indices, of the
/// window in the windows, and of its start in the array along the batch dims that array and indices share.
/// The first loop does only the iterations [begin, end).
template <class F>
void for_each_window(std::span<const Windows::Batch> loops, std::int64_t begin, std::int64_t end,
                     std::int64_t indices, std::int64_t windows, std::int64_t array, const F& f) {
  if (loops.empty()) return f(indices, windows, array);
  const Windows::Batch& batch = loops[0];
  const std::int64_t inner = loops.size() > 1 ? loops[1].size : 1;
  for (std::int64_t i = begin; i < end; ++i)
    for_each_window(loops.subspan(1), 0, inner, indices + i * batch.indices_stride,
                    windows + i * batch.windows_stride, array + i * batch.array_stride, f);
}

bool is_dense(const CopyLoop& loop, std::size_t element_bytes) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  return loop.to_stride == bytes && loop.from_stride == bytes;
}

/// The bytes of a window that is one run of consecutive elements both in the array and in the windows.
std::optional<std::size_t> bytes_of_run(std::span<const CopyLoop> loops, std::size_t element_bytes) {
  if (loops.empty()) return element_bytes;
  if (loops.size() > 1 || !is_dense(loops[0], element_bytes)) return std::nullopt;
  return static_cast<std::size_t>(loops[0].size) * element_bytes;
}

/// Combines windows with the array, in runs of consecutive elements where there are such.
class Combination {
 public:
  Combination(BinaryFn fn, DType dtype)
      : kernel_(binary_kernel(fn, dtype, Stride::dense, Stride::dense)),
        element_bytes_(bytes_per_element(dtype)) {}

  void operator()(std::byte* array, const std::byte* window, std::span<const CopyLoop> loops) const {
    if (loops.empty()) return combine_run(array, window, 1);
    const CopyLoop& outer = loops[0];
    if (loops.size() == 1 && is_dense(outer, element_bytes_)) return combine_run(array, window, outer.size);
    for (std::int64_t i = 0; i < outer.size; ++i)
      (*this)(array + i * outer.from_stride, window + i * outer.to_stride, loops.subspan(1));
  }

 private:
  void combine_run(std::byte* array, const std::byte* window, std::int64_t elements) const {
    const std::byte* const operands[] = {array, window};
    kernel_(array, operands, elements);
  }

  ElementwiseKernel kernel_;
  std::size_t element_bytes_;
};

}  // namespace

std::int64_t Windows::count() const {
  std::int64_t count = 1;
  for (const Batch& loop : batch) count *= loop.size;
  return count;
}

std::string_view ops::name(ScatterKind kind) {
  switch (kind) {
    case ScatterKind::add: return "add";
    case ScatterKind::replace: return "replace";
    case ScatterKind::multiply: return "multiply";
    case ScatterKind::min: return "min";
    case ScatterKind::max: return "max";
  }
  return {};
}

void ops::gather_windows(std::byte* windows, const std::byte* array, const std::byte* indices,
                         const Windows& layout, std::size_t element_bytes, std::int64_t begin,
                         std::int64_t end) {
  const auto run = bytes_of_run(layout.window, element_bytes);
  const auto copy = [&](std::int64_t index, std::int64_t window, std::int64_t from) {
    for (const Windows::Start& start : layout.starts) {
      std::int64_t wanted = index_at(indices + index + start.indices_offset, layout.index_dtype);
      from += std::clamp<std::int64_t>(wanted, 0, start.limit) * start.array_stride;
    }
    if (run) std::memcpy(windows + window, array + from, *run);
    else strided_copy(windows + window, array + from, layout.window, element_bytes);
  };
  for_each_window(layout.batch, begin, end, 0, 0, 0, copy);
}

namespace {

/// Calls f(window of the array, window of the windows) for each window that lies inside, in row-major order.
template <class F>
void for_each_inside(std::byte* array, const std::byte* indices, const std::byte* windows,
                     const Windows& layout, const F& f) {
  const auto call = [&](std::int64_t index, std::int64_t window, std::int64_t to) {
    for (const Windows::Start& start : layout.starts) {
      std::int64_t wanted = index_at(indices + index + start.indices_offset, layout.index_dtype);
      if (wanted < 0 || wanted > start.limit) return;
      to += wanted * start.array_stride;
    }
    f(array + to, windows + window);
  };
  for_each_window(layout.batch, 0, layout.outermost(), 0, 0, 0, call);
}

void replace_windows(std::byte* array, const std::byte* indices, const std::byte* windows,
                     const Windows& layout, std::size_t element_bytes) {
  if (const auto run = bytes_of_run(layout.window, element_bytes))
    return for_each_inside(array, indices, windows, layout,
                           [&](std::byte* to, const std::byte* from) { std::memcpy(to, from, *run); });
  std::vector<CopyLoop> turned = layout.window;  // copies go from the windows to the array
  for (CopyLoop& loop : turned) std::swap(loop.to_stride, loop.from_stride);
  for_each_inside(array, indices, windows, layout, [&](std::byte* to, const std::byte* from) {
    strided_copy(to, from, turned, element_bytes);
  });
}

/// For windows of one element: a third faster than a kernel call for each (65,536 of f32: 6.3 and 9.0 ns
/// each, 2026-11).
template <class T>
void add_elements(std::byte* array, const std::byte* indices, const std::byte* windows,
                  const Windows& layout) {
  for_each_inside(array, indices, windows, layout, [](std::byte* to, const std::byte* from) {
    T a, b;
    std::memcpy(&a, to, sizeof a);
    std::memcpy(&b, from, sizeof b);
    a = sum_of(a, b);
    std::memcpy(to, &a, sizeof a);
  });
}

using AddElements = void (*)(std::byte* array, const std::byte* indices, const std::byte* windows,
                             const Windows& layout);
/// Null for f16 and bf16, whose sums are computed in f32.
AddElements add_elements_of(DType dtype) {
  return with_element(dtype, []<class T>(std::type_identity<T>) -> AddElements {
    if constexpr (std::same_as<T, bool> || is_half_element<T>) return nullptr;
    else return add_elements<T>;
  });
}

void combine_windows(std::byte* array, const std::byte* indices, const std::byte* windows,
                     const Windows& layout, DType dtype, BinaryFn fn) {
  const Combination combine(fn, dtype);
  for_each_inside(array, indices, windows, layout,
                  [&](std::byte* to, const std::byte* from) { combine(to, from, layout.window); });
}

void add_windows(std::byte* array, const std::byte* indices, const std::byte* windows, const Windows& layout,
                 DType dtype) {
  const AddElements add_singly = layout.window.empty() ? add_elements_of(dtype) : nullptr;
  if (add_singly != nullptr) return add_singly(array, indices, windows, layout);
  combine_windows(array, indices, windows, layout, dtype, BinaryFn::add);
}

}  // namespace

void ops::scatter_windows(std::byte* array, const std::byte* indices, const std::byte* windows,
                          const Windows& layout, DType dtype, ScatterKind kind) {
  auto combined_by = [&](BinaryFn fn) { combine_windows(array, indices, windows, layout, dtype, fn); };
  switch (kind) {
    case ScatterKind::add: return add_windows(array, indices, windows, layout, dtype);
    case ScatterKind::replace:
      return replace_windows(array, indices, windows, layout, bytes_per_element(dtype));
    case ScatterKind::multiply: return combined_by(BinaryFn::mul);
    case ScatterKind::min: return combined_by(BinaryFn::minimum);
    case ScatterKind::max: return combined_by(BinaryFn::maximum);
  }
}

}  // namespace tutti
