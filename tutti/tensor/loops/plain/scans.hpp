// SPDX-License-Identifier: Apache-2.0
// Loops along one dim of a dense array: running folds, indices of extremes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/types/dtype.hpp"

namespace tutti {

/// Forward: x[0], then x[0] + x[1], and so on. Backward, which is JAX's reverse=True: the same from the end.
enum class Order : std::uint8_t { forward, backward };

}  // namespace tutti

namespace tutti::ops {

/// A dense array viewed as [outer, n, stride]. A loop runs along the dim of size n. It takes the first
/// `inner` elements of each row of `stride` ones: all, if nothing else is said.
struct AlongDim {
  std::int64_t outer, n, inner;
  std::int64_t stride = inner;
  /// The number of elements that the loop takes.
  std::int64_t elements() const { return outer * n * inner; }
};

/// The functions that running folds use.
enum class CumulativeKind : std::uint8_t { sum, prod, max, min, logsumexp };
/// Running folds: out[i] = in[0] + .. + in[i] (forward), or in[i] + .. + in[n - 1] (backward), and so on.
/// A sum has a fixed tree and differs from the exact sum by at most 2 ceil(log2 n) eps sum|x|; a product has
/// the same tree. Integers wrap. Max and min propagate NaN, -0 < +0. logsumexp, of floats only, is computed
/// in f64 and rounded once. Sum and prod are not for bool, max and min not for complex numbers.
void cumulative(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype, CumulativeKind kind,
                Order order);

/// Which element argmax and argmin look for.
enum class Extreme : std::uint8_t { largest, smallest };
/// The index along the dim of the first NaN, or without a NaN of the first extreme element. n > 0. The result
/// is [outer, stride].
void index_of_extreme(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype,
                      Extreme extreme, DType index_dtype);

}  // namespace tutti::ops
