// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/scans.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {
namespace {

/// A running sum, kept as sums of blocks of 2^k terms, like the digits of a binary counter. A term takes part in at
/// most log2(n) additions inside its block, and in at most log2(n) more when the blocks are added.
template <class T>
class RunningSum {
 public:
  T next(T x) {
    for (std::uint64_t carry = count_++; carry % 2 == 1; carry /= 2) x = sum_of(blocks_[--height_], x);
    blocks_[height_++] = x;
    for (std::size_t level = height_ - 1; level > 0; --level) x = sum_of(blocks_[level - 1], x);
    return x;
  }

 private:
  std::array<T, 64> blocks_;
  std::size_t height_ = 0;
  std::uint64_t count_ = 0;
};

template <class T>
void sums_of(std::byte* out, const std::byte* in, const AlongDim& shape, Order order) {
  auto* to = reinterpret_cast<T*>(out);
  auto* from = reinterpret_cast<const T*>(in);
  for (std::int64_t o = 0; o < shape.outer; ++o)
    for (std::int64_t i = 0; i < shape.inner; ++i) {
      RunningSum<Computed<T>> sum;
      for (std::int64_t k = 0; k < shape.n; ++k) {
        std::int64_t along = order == Order::forward ? k : shape.n - 1 - k;
        std::int64_t at = (o * shape.n + along) * shape.inner + i;
        to[at] = static_cast<T>(sum.next(static_cast<Computed<T>>(from[at])));
      }
    }
}

/// True if `a` replaces `b`, an earlier element, as the extreme. The first NaN replaces every number.
template <Extreme extreme, class T>
bool beats(T a, T b) {
  if (b != b) return false;
  if (a != a) return true;
  return extreme == Extreme::largest ? a > b : a < b;
}

/// The index of the extreme of a row. Vectors find the extreme of each block; only the best block is searched.
template <Extreme extreme, class T>
std::int64_t index_in_row(const T* row, std::int64_t n, ReduceRowsKernel fold) {
  constexpr std::int64_t block = 1024;
  T best{};
  std::int64_t at = 0;
  for (std::int64_t first = 0; first < n; first += block) {
    T found;
    fold(reinterpret_cast<std::byte*>(&found), reinterpret_cast<const std::byte*>(row + first), 1,
         std::min(block, n - first), 0);
    if (first > 0 && !beats<extreme>(static_cast<Computed<T>>(found), static_cast<Computed<T>>(best)))
      continue;
    best = found;
    at = first;
  }
  const auto wanted = static_cast<Computed<T>>(best);
  for (;; ++at) {
    const auto x = static_cast<Computed<T>>(row[at]);
    if (x == wanted || (x != x && wanted != wanted)) return at;
  }
}

/// The indices of the extremes of the columns of n rows, which lie one behind the other.
template <Extreme extreme, class T, class Index>
void indices_in_columns(Index* to, const T* from, std::int64_t n, std::int64_t columns) {
  std::array<Computed<T>, 256> best;
  for (std::int64_t first = 0; first < columns; first += std::ssize(best)) {
    const std::int64_t some = std::min(std::ssize(best), columns - first);
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t i = 0; i < some; ++i) {
        const auto x = static_cast<Computed<T>>(from[k * columns + first + i]);
        auto& b = best[static_cast<std::size_t>(i)];
        const bool better = k == 0 || beats<extreme>(x, b);
        b = better ? x : b;
        to[first + i] = better ? static_cast<Index>(k) : to[first + i];
      }
  }
}

template <Extreme extreme, class T, class Index>
void indices_of(std::byte* out, const std::byte* in, const AlongDim& shape) {
  auto* to = reinterpret_cast<Index*>(out);
  auto* from = reinterpret_cast<const T*>(in);
  const auto fold =
      reduce_rows_kernel(extreme == Extreme::largest ? ReduceKind::max : ReduceKind::min, dtype_of<T>());
  for (std::int64_t o = 0; o < shape.outer; ++o, to += shape.inner, from += shape.n * shape.inner)
    if (shape.inner == 1) *to = static_cast<Index>(index_in_row<extreme>(from, shape.n, fold));
    else indices_in_columns<extreme>(to, from, shape.n, shape.inner);
}

template <class T>
void indices_in(std::byte* out, const std::byte* in, const AlongDim& shape, Extreme extreme,
                DType index_dtype) {
  bool wide = index_dtype == DType::i64;
  if (extreme == Extreme::largest)
    return wide ? indices_of<Extreme::largest, T, std::int64_t>(out, in, shape)
                : indices_of<Extreme::largest, T, std::int32_t>(out, in, shape);
  return wide ? indices_of<Extreme::smallest, T, std::int64_t>(out, in, shape)
              : indices_of<Extreme::smallest, T, std::int32_t>(out, in, shape);
}

template <class T>
void order_of(std::span<std::int64_t> order, const std::byte* keys, std::int64_t stride) {
  auto* key = reinterpret_cast<const T*>(keys);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::stable_sort(order, [&](std::int64_t i, std::int64_t j) {
    const auto a = static_cast<Computed<T>>(key[i * stride]), b = static_cast<Computed<T>>(key[j * stride]);
    return a < b || (b != b && a == a);
  });
}

}  // namespace

void cumulative_sum(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype, Order order) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::same_as<T, bool>) fail(Code::internal, "a sum of {}", name(dtype));
    else sums_of<T>(out, in, shape, order);
  });
}

void index_of_extreme(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype,
                      Extreme extreme, DType index_dtype) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex_element<T>) fail(Code::internal, "the extreme of {}", name(dtype));
    else indices_in<T>(out, in, shape, extreme, index_dtype);
  });
}

void sorted_order(std::span<std::int64_t> order, const std::byte* keys, std::int64_t stride, DType dtype) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex_element<T>) fail(Code::internal, "the order of {}", name(dtype));
    else order_of<T>(order, keys, stride);
  });
}

}  // namespace tutti
