// SPDX-License-Identifier: Apache-2.0
// Reductions of integers, for which every order of the elements gives the same bits; and the neutral elements
// of all dtypes.
#include <algorithm>
#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/plain/complex_loops.hpp"
#include "tutti/tensor/loops/plain/half_loops.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {
namespace {

template <ReduceKind kind, class T>
T folded(T a, T b) {
  if constexpr (kind == ReduceKind::sum) return wrapping_add(a, b);
  if constexpr (kind == ReduceKind::prod) return wrapping_mul(a, b);
  if constexpr (kind == ReduceKind::max) return std::max(a, b);
  if constexpr (kind == ReduceKind::min) return std::min(a, b);
  if constexpr (kind == ReduceKind::logical_and) return static_cast<T>(a & b);
  if constexpr (kind == ReduceKind::logical_or) return static_cast<T>(a | b);
}

template <ReduceKind kind, class T>
struct Integers {
  static void rows(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                   std::int64_t row_bytes) {
    for (std::int64_t row = 0; row < rows; ++row, in += row_bytes) {
      auto* from = reinterpret_cast<const T*>(in);
      T fold = neutral_element<kind, T>();
      for (std::int64_t c = 0; c < columns; ++c) fold = folded<kind>(fold, from[c]);
      reinterpret_cast<T*>(out)[row] = fold;
    }
  }

  static void columns(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                      std::int64_t row_bytes, std::byte*) {
    auto* to = reinterpret_cast<T*>(out);
    std::fill_n(to, columns, neutral_element<kind, T>());
    for (std::int64_t row = 0; row < rows; ++row, in += row_bytes) add_line(to, in, columns);
  }

  // `out` may be one of the operands: a block of it is written after all operands have been read there.
  static void positions(std::byte* out, const std::byte* const* in, int count, std::int64_t n, Load, Store) {
    constexpr std::int64_t block = 2048 / sizeof(T);
    for (std::int64_t first = 0; first < n; first += block) {
      const std::int64_t width = std::min(block, n - first),
                         offset = first * static_cast<std::int64_t>(sizeof(T));
      T line[block];
      std::fill_n(line, width, neutral_element<kind, T>());
      for (int position = 0; position < count; ++position) add_line(line, in[position] + offset, width);
      std::memcpy(out + offset, line, static_cast<std::size_t>(width) * sizeof(T));
    }
  }

 private:
  static void add_line(T* to, const std::byte* line, std::int64_t n) {
    auto* from = reinterpret_cast<const T*>(line);
    for (std::int64_t i = 0; i < n; ++i) to[i] = folded<kind>(to[i], from[i]);
  }
};

template <class T>
constexpr bool has_vector_loops = std::signed_integral<T> && sizeof(T) >= 4;

/// Returns take(Integers<kind, T>()) for an integer dtype T without vector loops; null for other dtypes.
template <class Kernel, class F>
Kernel for_integers(ReduceKind kind, DType dtype, F take) {
  return with_element(dtype, [&]<class T>(std::type_identity<T>) -> Kernel {
    if constexpr (std::integral<T> && !std::same_as<T, bool> && !has_vector_loops<T>) {
      switch (kind) {
        case ReduceKind::sum: return take(Integers<ReduceKind::sum, T>());
        case ReduceKind::prod: return take(Integers<ReduceKind::prod, T>());
        case ReduceKind::max: return take(Integers<ReduceKind::max, T>());
        case ReduceKind::min: return take(Integers<ReduceKind::min, T>());
        case ReduceKind::logical_and: return take(Integers<ReduceKind::logical_and, T>());
        case ReduceKind::logical_or: return take(Integers<ReduceKind::logical_or, T>());
      }
    }
    return nullptr;
  });
}

}  // namespace

ReduceRowsKernel scalar_reduce_rows_kernel(ReduceKind kind, DType dtype) {
  if (is_half(dtype)) return half_reduce_rows_kernel(kind, dtype);
  if (is_complex(dtype)) return complex_reduce_rows_kernel(kind, dtype);
  return for_integers<ReduceRowsKernel>(kind, dtype, []<class I>(I) { return &I::rows; });
}

ReduceColumnsKernel scalar_reduce_columns_kernel(ReduceKind kind, DType dtype) {
  if (is_half(dtype)) return half_reduce_columns_kernel(kind, dtype);
  if (is_complex(dtype)) return complex_reduce_columns_kernel(kind, dtype);
  return for_integers<ReduceColumnsKernel>(kind, dtype, []<class I>(I) { return &I::columns; });
}

FoldKernel scalar_fold_kernel(ReduceKind kind, DType dtype) {
  if (is_complex(dtype)) return complex_fold_kernel(kind, dtype);
  return for_integers<FoldKernel>(kind, dtype, []<class I>(I) { return &I::positions; });
}

namespace {

template <ReduceKind kind>
void write_neutral_of(DType dtype, std::byte* out) {
  with_element(dtype, [out]<class T>(std::type_identity<T>) {
    if constexpr (!is_complex_element<T> || kind == ReduceKind::sum || kind == ReduceKind::prod) {
      constexpr T neutral = neutral_element<kind, T>();
      std::memcpy(out, &neutral, sizeof neutral);
    } else {
      fail(Code::internal, "complex numbers have no neutral elements but 0 and 1");
    }
  });
}

}  // namespace

void write_neutral_element(ReduceKind kind, DType dtype, std::byte* out) {
  switch (kind) {
    case ReduceKind::sum: return write_neutral_of<ReduceKind::sum>(dtype, out);
    case ReduceKind::prod: return write_neutral_of<ReduceKind::prod>(dtype, out);
    case ReduceKind::max: return write_neutral_of<ReduceKind::max>(dtype, out);
    case ReduceKind::min: return write_neutral_of<ReduceKind::min>(dtype, out);
    case ReduceKind::logical_and: return write_neutral_of<ReduceKind::logical_and>(dtype, out);
    case ReduceKind::logical_or: return write_neutral_of<ReduceKind::logical_or>(dtype, out);
  }
}

}  // namespace tutti
