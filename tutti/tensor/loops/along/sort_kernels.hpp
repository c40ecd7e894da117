// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/base/inside.hpp"

namespace tutti {

/// The order of elements, given as bits.
struct OrderOfBits {
  enum class Kind : std::uint8_t { integers, unsigned_integers, floating } kind;
  std::uint64_t infinity = 0;  // the bits of it, if floating: beyond them are NaNs
};

constexpr std::int64_t sorted_columns = 16;

struct SortKernels {
  /// Replaces n elements by signed numbers in their order. -0 comes before +0, and all NaNs are the largest
  /// number. True if there are zeros or NaNs, if floating.
  bool (*turn)(std::byte* elements, std::int64_t n, const OrderOfBits& order);
  /// The way back, from any NaN to some NaN.
  void (*turn_back)(std::byte* numbers, std::int64_t n, const OrderOfBits& order);
  /// Sorts each of 16 columns of numbers by itself. Row i is numbers[16 i] and those behind it. `numbers` is
  /// 64-byte aligned. The number of comparisons grows as rows log2(rows)^2.
  void (*sort_columns)(std::byte* numbers, std::int64_t rows);
};
/// For elements of 2, 4 or 8 bytes.
SortKernels sort_kernels(std::size_t element_bytes);

}  // namespace tutti
