// SPDX-License-Identifier: Apache-2.0
// Loops along one dim of a dense array seen as [outer, n, inner]: running sums, places of extremes, sorting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tutti/types/dtype.hpp"

namespace tutti {

/// A dense array around one of its dims.
struct AlongDim {
  std::int64_t outer, n, inner;
  std::int64_t elements() const { return outer * n * inner; }
};

enum class Order : std::uint8_t { forward, backward };
/// out[i] = in[0] + .. + in[i], or in[i] + .. + in[n - 1]. Within 2 ceil(log2 n) eps sum|x| of the exact sums: each is
/// of a fixed tree. Integers wrap; of bool there is no sum.
void cumulative_sum(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype, Order order);

enum class Extreme : std::uint8_t { largest, smallest };
/// The index of the first NaN along the dim, else of the first of the extreme elements. n > 0.
void index_of_extreme(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype,
                      Extreme extreme, DType index_dtype);

/// order[k]: the index along the dim of the k-th smallest of n keys, `stride` elements apart. Stable; NaNs of either
/// sign are equal and last, so are zeros of either sign among themselves.
void sorted_order(std::span<std::int64_t> order, const std::byte* keys, std::int64_t stride, DType dtype);

}  // namespace tutti
