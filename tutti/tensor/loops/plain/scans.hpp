// SPDX-License-Identifier: Apache-2.0
// Loops along one dim of a dense array: cumulative sums, indices of extremes, sorting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tutti/types/dtype.hpp"

namespace tutti {

/// A dense array viewed as [outer, n, inner], where n is the size of the dim that a loop runs along.
struct AlongDim {
  std::int64_t outer, n, inner;
  std::int64_t elements() const { return outer * n * inner; }
};

enum class Order : std::uint8_t { forward, backward };
/// Cumulative sums: out[i] = in[0] + .. + in[i] (forward), or in[i] + .. + in[n - 1] (backward). Each sum has a fixed
/// tree and differs from the exact sum by at most 2 ceil(log2 n) eps sum|x|. Integers wrap. Not for bool.
void cumulative_sum(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype, Order order);

enum class Extreme : std::uint8_t { largest, smallest };
/// The index along the dim of the first NaN, or without a NaN of the first extreme element. n > 0.
void index_of_extreme(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype,
                      Extreme extreme, DType index_dtype);

/// Sorts stably: order[k] = index of the k-th smallest key. There are order.size() keys, `stride` elements apart.
/// -0 and +0 are equal. NaNs of either sign are equal, and come last.
void sorted_order(std::span<std::int64_t> order, const std::byte* keys, std::int64_t stride, DType dtype);

}  // namespace tutti
