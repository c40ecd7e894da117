// SPDX-License-Identifier: Apache-2.0
// Lines of elements that nothing follows. Short lines are sorted 16 at a time, long ones by Highway's sort.
#include <hwy/contrib/sort/vqsort.h>
#include <algorithm>
#include <array>
#include <ranges>
#include <span>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/along/sort_kernels.hpp"
#include "tutti/tensor/loops/plain/sort_keys.hpp"
#include "tutti/tensor/loops/plain/sorting.hpp"

namespace tutti {
namespace {

/// The number of elements before the first one with such a key or a larger one, in a line in ascending order.
template <class T>
std::int64_t count_below(KeyOf<T> key, const T* line, std::int64_t n, std::int64_t stride) {
  const auto places = std::views::iota(std::int64_t{0}, n);
  const auto key_at = [&](std::int64_t i) { return key_of<Zeros::apart>(line[i * stride]); };
  return static_cast<std::int64_t>(std::ranges::lower_bound(places, key, {}, key_at) - places.begin());
}

/// Elements of one key that are no other than these keep their order: zeros of both signs, and all NaNs.
template <class T, class Is>
void put_in_given_order(T* to, const T* from, std::int64_t n, std::int64_t stride, std::int64_t first,
                        const Is& is_one) {
  for (std::int64_t i = 0; i < n; ++i)
    if (const T x = from[i * stride]; is_one(x)) to[first++ * stride] = x;
}

template <class T>
constexpr bool has_zeros_and_nans = !std::same_as<T, bool> && !std::integral<T>;

/// Gives zeros and NaNs of a line in ascending order the order that they have in `from`.
template <class T>
void put_back_order(T* to, const T* from, std::int64_t n, std::int64_t stride) {
  using Key = KeyOf<T>;
  if constexpr (has_zeros_and_nans<T>) {
    const Key zero = key_of<Zeros::apart>(T{}), nan = std::numeric_limits<Key>::max();
    const std::int64_t zeros = count_below<T>(zero - 1, to, n, stride),
                       positive = count_below<T>(zero + 1, to, n, stride),
                       nans = count_below<T>(nan, to, n, stride);
    const auto number = [](T x) { return static_cast<Computed<T>>(x); };
    if (positive > zeros) put_in_given_order(to, from, n, stride, zeros, [&](T x) { return number(x) == 0; });
    if (nans < n) put_in_given_order(to, from, n, stride, nans, [&](T x) { return number(x) != number(x); });
  }
}

/// Sorts a line of bytes, which are bools or integers.
template <class T>
void sort_bytes(T* to, const T* from, std::int64_t n, std::int64_t stride) {
  std::array<std::int64_t, 256> counts{};
  for (std::int64_t i = 0; i < n; ++i) ++counts[key_of<Zeros::apart>(from[i * stride])];
  std::int64_t at = 0;
  for (std::size_t key = 0; key < counts.size(); ++key)
    for (std::int64_t i = 0; i < counts[key]; ++i)
      to[stride * at++] = element_of<T>(static_cast<KeyOf<T>>(key));
}

template <class T>
OrderOfBits order_of() {
  if constexpr (has_zeros_and_nans<T>)
    return {OrderOfBits::Kind::floating,
            std::bit_cast<KeyOf<T>>(static_cast<T>(std::numeric_limits<float>::infinity()))};
  else return {std::signed_integral<T> ? OrderOfBits::Kind::integers : OrderOfBits::Kind::unsigned_integers};
}

/// Lines that begin at neighbouring elements. Highway sorts them one by one.
template <class T>
void sort_long_lines(T* to, const T* from, std::int64_t n, std::int64_t stride, std::int64_t lines,
                     std::byte* scratch, const SortKernels& kernels, const hwy::Sorter& sorter) {
  auto* dense = reinterpret_cast<T*>(scratch);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t line = 0; line < lines; ++line) dense[line * n + i] = from[i * stride + line];
  const OrderOfBits order = order_of<T>();
  const bool has_any = kernels.turn(scratch, lines * n, order);
  for (std::int64_t line = 0; line < lines; ++line)
    sorter(reinterpret_cast<std::make_signed_t<KeyOf<T>>*>(dense + line * n), static_cast<std::size_t>(n),
           hwy::SortAscending());
  kernels.turn_back(scratch, lines * n, order);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t line = 0; line < lines; ++line) to[i * stride + line] = dense[line * n + i];
  for (std::int64_t line = 0; has_any && line < lines; ++line)
    put_back_order(to + line, from + line, n, stride);
}

/// Sorts lines that begin at these elements, 16 at most.
template <class T>
void sort_short_lines(std::span<const std::int64_t> firsts, T* to, const T* from, std::int64_t n,
                      std::int64_t stride, std::byte* scratch, const SortKernels& kernels) {
  auto* columns = reinterpret_cast<T*>(scratch);
  std::array<const T*, sorted_columns> lines;
  for (std::size_t column = 0; column < lines.size(); ++column)
    lines[column] = from + firsts[std::min(column, firsts.size() - 1)];
  for (std::int64_t i = 0; i < n; ++i)
    for (const T* line : lines) *columns++ = line[i * stride];
  const OrderOfBits order = order_of<T>();
  const bool has_any = kernels.turn(scratch, n * sorted_columns, order);
  kernels.sort_columns(scratch, n);
  kernels.turn_back(scratch, n * sorted_columns, order);
  columns = reinterpret_cast<T*>(scratch);
  for (std::int64_t i = 0; i < n; ++i, columns += sorted_columns)
    for (std::size_t column = 0; column < firsts.size(); ++column)
      to[firsts[column] + i * stride] = columns[column];
  for (std::size_t column = 0; has_any && column < firsts.size(); ++column)
    put_back_order(to + firsts[column], from + firsts[column], n, stride);
}

template <class F>
void for_each_line(const AlongDim& shape, const F& f) {
  for (std::int64_t o = 0; o < shape.outer; ++o)
    for (std::int64_t i = 0; i < shape.inner; ++i) f(o * shape.n * shape.stride + i);
}

// 2^18 floats in lines of 96 take 1.6 ms by columns and 5.0 ms line by line. In lines of 512 they take 2.2
// and 3.2 ms, in lines of 1,024 they take 3.4 and 3.1 ms (Xeon with AVX-512, 2026-11-28).
bool is_short(std::int64_t n) { return n <= 512; }
bool is_better_alone(std::int64_t n, std::size_t lines) { return n > 64 && lines < 4; }

/// How many long lines are sorted together: where elements lie apart, as many as a cache line or 1 MiB holds.
std::int64_t long_lines(const AlongDim& shape, std::size_t element_bytes) {
  constexpr std::int64_t bytes = 1 << 20;
  const std::int64_t most = std::clamp<std::int64_t>(shape.stride, 1, sorted_columns);
  return std::clamp<std::int64_t>(bytes / (shape.n * static_cast<std::int64_t>(element_bytes)), 1, most);
}

template <class T>
void sort_all(T* to, const T* from, const AlongDim& shape, std::byte* scratch) {
  if constexpr (sizeof(T) == 1) {
    for_each_line(shape,
                  [&](std::int64_t first) { sort_bytes(to + first, from + first, shape.n, shape.stride); });
  } else if (const SortKernels kernels = sort_kernels(sizeof(T)); is_short(shape.n)) {
    std::array<std::int64_t, sorted_columns> firsts;
    std::size_t count = 0;
    const auto sort_these = [&] {
      const std::span<const std::int64_t> these(firsts.data(), count);
      count = 0;
      if (!is_better_alone(shape.n, these.size()))
        return sort_short_lines<T>(these, to, from, shape.n, shape.stride, scratch, kernels);
      const hwy::Sorter sorter;
      for (const std::int64_t first : these)
        sort_long_lines(to + first, from + first, shape.n, shape.stride, 1, scratch, kernels, sorter);
    };
    for_each_line(shape, [&](std::int64_t first) {
      firsts[count++] = first;
      if (count == firsts.size()) sort_these();
    });
    if (count > 0) sort_these();
  } else {
    const hwy::Sorter sorter;  // of one thread: it has memory of its own
    const std::int64_t most = long_lines(shape, sizeof(T));
    for (std::int64_t o = 0; o < shape.outer; ++o)
      for (std::int64_t i = 0; i < shape.inner; i += most) {
        const std::int64_t first = o * shape.n * shape.stride + i;
        sort_long_lines(to + first, from + first, shape.n, shape.stride, std::min(most, shape.inner - i),
                        scratch, kernels, sorter);
      }
  }
}

}  // namespace

void sort_lines(std::byte* to, const std::byte* from, const AlongDim& shape, DType dtype,
                std::byte* scratch) {
  if (shape.n == 0) return;
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex_element<T>) fail(Code::internal, "the order of {}", name(dtype));
    else sort_all(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), shape, scratch);
  });
}

std::size_t sort_lines_scratch_bytes(const AlongDim& shape, std::size_t element_bytes) {
  const std::int64_t lines = is_short(shape.n) ? sorted_columns : long_lines(shape, element_bytes);
  return static_cast<std::size_t>(shape.n * lines) * element_bytes;
}

}  // namespace tutti
