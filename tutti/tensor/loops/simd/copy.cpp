// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <iterator>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/simd/stream.hpp"
#include "tutti/tensor/loops/sixteen_bytes.hpp"

namespace tutti {
namespace {

/// The loops of size 2 or more. There are at most 62, because the product of their sizes is below 2^63.
struct Loops {
  std::span<const CopyLoop> all() const { return {kept, count}; }

  CopyLoop kept[62];
  std::size_t count = 0;
};

// Drops loops of size 1. Joins an outer and an inner loop if together they walk through memory in even steps.
Loops joined(std::span<const CopyLoop> loops) {
  Loops left;
  for (const CopyLoop& loop : loops) {
    if (loop.size == 1) continue;
    CopyLoop* outer = left.count > 0 ? &left.kept[left.count - 1] : nullptr;
    const bool even = outer != nullptr && outer->to_stride == loop.size * loop.to_stride &&
                      outer->from_stride == loop.size * loop.from_stride;
    if (even) *outer = {outer->size * loop.size, loop.to_stride, loop.from_stride};
    else {
      ensure(left.count < std::size(left.kept), "a copy of more than 2^62 elements");
      left.kept[left.count++] = loop;
    }
  }
  return left;
}

/// The innermost loop, for an element size that is known at compile time.
template <class T>
void copy_line(std::byte* to, const std::byte* from, const CopyLoop& loop) {
  for (std::int64_t i = 0; i < loop.size; ++i, to += loop.to_stride, from += loop.from_stride) {
    T element;
    std::memcpy(&element, from, sizeof element);
    std::memcpy(to, &element, sizeof element);
  }
}

/// The side of the square blocks of elements that are transposed in registers of 16 bytes. 1: none.
template <class T>
constexpr std::int64_t block_side = sizeof(T) == 4   ? 4
                                    : sizeof(T) == 8 ? 2
                                                     : 1;

/// Transposes a block. Rows lie so many bytes apart.
template <class T>
void transpose_block(std::byte* to, std::int64_t to_row, const std::byte* from, std::int64_t from_row) {
  using Row [[gnu::vector_size(16)]] = T;
  const auto row = [&](std::int64_t i) {
    Row elements;
    std::memcpy(&elements, from + i * from_row, sizeof elements);
    return elements;
  };
  const auto put = [&](std::int64_t i, Row elements) {
    std::memcpy(to + i * to_row, &elements, sizeof elements);
  };
  if constexpr (block_side<T> == 2) {
    const Row a = row(0), b = row(1);
    put(0, __builtin_shufflevector(a, b, 0, 2));
    put(1, __builtin_shufflevector(a, b, 1, 3));
  } else {
    const Row a = row(0), b = row(1), c = row(2), d = row(3);
    const Row first_ac = __builtin_shufflevector(a, c, 0, 4, 1, 5),
              first_bd = __builtin_shufflevector(b, d, 0, 4, 1, 5),
              last_ac = __builtin_shufflevector(a, c, 2, 6, 3, 7),
              last_bd = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    put(0, __builtin_shufflevector(first_ac, first_bd, 0, 4, 1, 5));
    put(1, __builtin_shufflevector(first_ac, first_bd, 2, 6, 3, 7));
    put(2, __builtin_shufflevector(last_ac, last_bd, 0, 4, 1, 5));
    put(3, __builtin_shufflevector(last_ac, last_bd, 2, 6, 3, 7));
  }
}

/// Transposes: elements are dense in `from` along the outer loop, in `to` along the inner one. Works on
/// square tiles of 16 rows, which for 4-byte elements are one cache line wide on both sides. A row of tiles
/// reads `from` forward, which the hardware prefetches, and writes `to` in strides, because stores do not
/// stall. Out of cache this is 1.4 times as fast as the other order (bench/kernels, 2048 x 2048).
template <class T>
void transpose(std::byte* to, const std::byte* from, const CopyLoop& outer, const CopyLoop& inner) {
  constexpr std::int64_t side = 16, bytes = sizeof(T);
  for (std::int64_t j = 0; j < inner.size; j += side)
    for (std::int64_t i = 0; i < outer.size; i += side) {
      if constexpr (block_side<T> > 1)
        if (j + side <= inner.size && i + side <= outer.size) {
          for (std::int64_t column = j; column < j + side; column += block_side<T>)
            for (std::int64_t row = i; row < i + side; row += block_side<T>)
              transpose_block<T>(to + row * outer.to_stride + column * bytes, outer.to_stride,
                                 from + row * bytes + column * inner.from_stride, inner.from_stride);
          continue;
        }
      const CopyLoop line{std::min(side, inner.size - j), bytes, inner.from_stride};
      for (std::int64_t row = i; row < std::min(i + side, outer.size); ++row)
        copy_line<T>(to + row * outer.to_stride + j * bytes, from + row * bytes + j * inner.from_stride,
                     line);
    }
}

template <class T>
bool is_transposition(const CopyLoop& outer, const CopyLoop& inner) {
  return outer.from_stride == static_cast<std::int64_t>(sizeof(T)) && inner.to_stride == outer.from_stride;
}

template <class T>
void copy_elements(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
  if (loops.size() == 1) {
    if (loops[0].from_stride == 0 && loops[0].to_stride == bytes)
      return fill(to, from, loops[0].size, sizeof(T));
    return copy_line<T>(to, from, loops[0]);
  }
  if (loops.size() == 2 && is_transposition<T>(loops[0], loops[1]))
    return transpose<T>(to, from, loops[0], loops[1]);
  for (std::int64_t i = 0; i < loops[0].size; ++i)
    copy_elements<T>(to + i * loops[0].to_stride, from + i * loops[0].from_stride, loops.subspan(1));
}

/// Copies `bytes` bytes that lie one after another. `next` is where the following ones are read; null if
/// there are none.
using CopyRun = void (*)(std::byte* to, const std::byte* from, std::size_t bytes, const std::byte* next);

void plain_run(std::byte* to, const std::byte* from, std::size_t bytes, const std::byte*) {
  std::memcpy(to, from, bytes);
}

/// The processor finds out what is read next only within a page. 4 KiB runs: 4.8 ms for 64 MiB without the
/// fetch, 3.1 with it (bench/programs_reshard).
void streamed_run(std::byte* to, const std::byte* from, std::size_t bytes, const std::byte* next) {
  constexpr std::size_t page = 4096;
  if (next != nullptr) fetch(next, std::min(bytes, page));
  stream(to, from, bytes);
}

void copy_runs(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops, std::size_t run_bytes,
               CopyRun copy_run) {
  if (loops.empty()) return copy_run(to, from, run_bytes, nullptr);
  const CopyLoop& loop = loops[0];
  for (std::int64_t i = 0; i < loop.size; ++i, to += loop.to_stride, from += loop.from_stride) {
    if (loops.size() > 1) copy_runs(to, from, loops.subspan(1), run_bytes, copy_run);
    else copy_run(to, from, run_bytes, i + 1 < loop.size ? from + loop.from_stride : nullptr);
  }
}

template <class T>
void fill_with(std::byte* to, const std::byte* element, std::int64_t n) {
  T value;
  std::memcpy(&value, element, sizeof value);
  std::fill_n(reinterpret_cast<T*>(to), n, value);
}

void copy(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops, std::size_t element_bytes,
          CopyRun copy_run) {
  for (const CopyLoop& loop : loops)
    if (loop.size <= 0) return;
  Loops left = joined(loops);
  const auto dense = static_cast<std::int64_t>(element_bytes);
  if (left.count > 0) {
    const CopyLoop inner = left.kept[left.count - 1];
    if (inner.to_stride == dense && inner.from_stride == dense) {
      --left.count;
      return copy_runs(to, from, left.all(), static_cast<std::size_t>(inner.size) * element_bytes, copy_run);
    }
  }
  if (left.count == 0) return copy_runs(to, from, {}, element_bytes, copy_run);
  switch (element_bytes) {
    case 1: return copy_elements<std::uint8_t>(to, from, left.all());
    case 2: return copy_elements<std::uint16_t>(to, from, left.all());
    case 4: return copy_elements<std::uint32_t>(to, from, left.all());
    case 8: return copy_elements<std::uint64_t>(to, from, left.all());
    case 16: return copy_elements<SixteenBytes>(to, from, left.all());
    default: return copy_runs(to, from, left.all(), element_bytes, copy_run);
  }
}

}  // namespace

void internal::strided_copy(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops,
                            std::size_t element_bytes) {
  copy(to, from, loops, element_bytes, plain_run);
}

void strided_stream(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops,
                    std::size_t element_bytes) {
  copy(to, from, loops, element_bytes, streamed_run);
}

void internal::fill(std::byte* to, const std::byte* element, std::int64_t n, std::size_t element_bytes) {
  switch (element_bytes) {
    case 1: return fill_with<std::uint8_t>(to, element, n);
    case 2: return fill_with<std::uint16_t>(to, element, n);
    case 4: return fill_with<std::uint32_t>(to, element, n);
    case 8: return fill_with<std::uint64_t>(to, element, n);
    case 16: return fill_with<SixteenBytes>(to, element, n);
    default:
      for (std::int64_t i = 0; i < n; ++i, to += element_bytes) std::memcpy(to, element, element_bytes);
  }
}

}  // namespace tutti
