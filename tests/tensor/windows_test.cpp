// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/windows.hpp"
#include "tutti/base/inside.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "tests/tensor/element_values.hpp"

namespace tutti {
namespace {

/// Windows of `width` elements of an array of n, one for each of `count` indices.
template <class T>
Windows windows_of_row(std::int64_t n, std::int64_t width, std::int64_t count, DType index_dtype) {
  std::int64_t element = sizeof(T);
  Windows layout;
  layout.index_dtype = index_dtype;
  layout.batch = {{count, static_cast<std::int64_t>(bytes_per_element(index_dtype)), width * element, 0}};
  layout.starts = {{0, element, n - width}};
  layout.window = {{width, element, element}};
  return layout;
}

template <class T, class Index>
std::vector<T> gathered(const std::vector<T>& array, std::int64_t width, const std::vector<Index>& indices) {
  Windows layout =
      windows_of_row<T>(std::int64_t(array.size()), width, std::int64_t(indices.size()), dtype_of<Index>());
  std::vector<T> windows(static_cast<std::size_t>(width) * indices.size());
  gather_windows(bytes(windows), bytes(array), bytes(indices), layout, sizeof(T));
  return windows;
}

template <class T>
std::vector<T> scattered(std::vector<T> array, std::int64_t width, const std::vector<std::int64_t>& indices,
                         const std::vector<T>& windows, ScatterKind kind) {
  Windows layout =
      windows_of_row<T>(std::int64_t(array.size()), width, std::int64_t(indices.size()), DType::i64);
  scatter_windows(bytes(array), bytes(indices), bytes(windows), layout, dtype_of<T>(), kind);
  return array;
}

TEST(gather_windows, brings_starts_of_either_width_inside) {
  const std::vector<double> array{1, 2, 3, 4};
  EXPECT_EQ(gathered(array, 2, std::vector<std::int32_t>{1, -9, 3}), (std::vector<double>{2, 3, 1, 2, 3, 4}));
  EXPECT_EQ(gathered(array, 1, std::vector<std::int64_t>{std::int64_t{1} << 40, -(std::int64_t{1} << 40)}),
            (std::vector<double>{4, 1}));
}

TEST(scatter_windows, adds_in_every_dtype_that_has_a_sum) {
  auto check = []<class T>(T) {
    EXPECT_EQ(scattered<T>({1, 2, 3}, 1, {2, 0, 2}, {10, 20, 30}, ScatterKind::add),
              (std::vector<T>{21, 2, 43}));
  };
  check(std::int32_t{});
  check(std::int64_t{});
  check(float{});
  check(double{});
}

TEST(scatter_windows, of_integers_wraps) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(scattered<std::int32_t>({most}, 1, {0}, {1}, ScatterKind::add),
            (std::vector<std::int32_t>{-most - 1}));
}

TEST(scatter_windows, replaces_in_order_and_leaves_out_what_lies_partly_outside) {
  EXPECT_EQ(scattered<float>({1, 2, 3, 4}, 2, {0, 1, 3, -1}, {10, 11, 20, 21, 30, 31, 40, 41},
                             ScatterKind::replace),
            (std::vector<float>{10, 20, 21, 4}));
}

// ---- compared with loops over single elements

/// The element at `offset` bytes.
template <class T>
T& element(std::vector<T>& values, std::int64_t offset) {
  return values[static_cast<std::size_t>(offset) / sizeof(T)];
}

/// Calls f(offset in the array, offset in the windows) for each element that a scatter reaches, in order.
/// Indices are numbers of elements.
template <class T, class F>
void for_each_element(const Windows& layout, const std::vector<std::int64_t>& indices, F f) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] > layout.starts[0].limit) continue;
    const auto loop = [&](auto self, std::size_t at, std::int64_t to, std::int64_t from) -> void {
      if (at == layout.window.size()) return f(to, from);
      for (std::int64_t k = 0; k < layout.window[at].size; ++k)
        self(self, at + 1, to + k * layout.window[at].from_stride, from + k * layout.window[at].to_stride);
    };
    loop(loop, 0, indices[i] * layout.starts[0].array_stride,
         static_cast<std::int64_t>(i) * layout.batch[0].windows_stride);
  }
}

/// Windows that meet, that repeat, and that lie outside, in an array of 80 elements.
const std::vector<std::int64_t> meeting{3, 0, 3, 3, -1, 1, 5, 4, 3, 6, 1 << 20, 5};

/// How windows may lie: their loops, in elements, with the elements of one window.
struct Lies {
  std::vector<CopyLoop> window;
  std::int64_t elements;
};
std::vector<Lies> ways_to_lie() {
  std::vector<Lies> ways{{{}, 1},
                         {{{3, 5, 7}, {5, 1, 1}}, 15},    // rows
                         {{{3, 1, 7}, {5, 3, 1}}, 15},    // turned
                         {{{2, 10, 20}, {5, 2, 3}}, 20},  // with gaps
                         {{{5, 1, 3}}, 5},                // with gaps in the array alone
                         {{{5, 3, 1}}, 15},               // and in the windows alone
                         {{{3, 1, 1}, {0, 3, 3}}, 9}};    // empty
  for (std::int64_t n : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48}) ways.push_back({{{n, 1, 1}}, n});
  return ways;
}

template <class T>
Windows layout_of(Lies lies) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
  for (CopyLoop& loop : lies.window) {
    loop.to_stride *= bytes;
    loop.from_stride *= bytes;
  }
  return {.batch = {{std::ssize(meeting), sizeof(std::int64_t), lies.elements * bytes, 0}},
          .starts = {{0, bytes, 5}},
          .window = lies.window,
          .index_dtype = DType::i64};
}

/// The array and the windows of a scatter: different everywhere, so that the order of sums shows in their
/// last bits.
template <class T>
struct Scattered {
  explicit Scattered(const Lies& lies)
      : layout(layout_of<T>(lies)),
        array(spread_values<T>(80, 1)),
        windows(spread_values<T>(static_cast<std::size_t>(lies.elements) * meeting.size(), 2)) {}

  std::vector<T> after(ScatterKind kind) const {
    std::vector<T> found = array;
    scatter_windows(bytes(found), bytes(meeting), bytes(windows), layout, dtype_of<T>(), kind);
    return found;
  }

  Windows layout;
  std::vector<T> array, windows;
};

TEST(scatter_windows, adds_the_same_in_runs_as_one_by_one) {
  auto check = []<class T>(T) {
    for (const Lies& lies : ways_to_lie()) {
      Scattered<T> scattered(lies);
      std::vector<T> expected = scattered.array;
      for_each_element<T>(scattered.layout, meeting, [&](std::int64_t to, std::int64_t from) {
        T& sum = element(expected, to);
        if constexpr (std::integral<T>)
          sum = static_cast<T>(static_cast<std::uint64_t>(sum) +
                               static_cast<std::uint64_t>(element(scattered.windows, from)));
        else sum += element(scattered.windows, from);
      });
      EXPECT_EQ(scattered.after(ScatterKind::add), expected)
          << name(dtype_of<T>()) << " in windows of " << lies.elements;
    }
  };
  check(std::int32_t{});
  check(std::int64_t{});
  check(float{});
  check(double{});
}

TEST(scatter_windows, replaces_the_same_in_runs_as_one_by_one) {
  for (const Lies& lies : ways_to_lie()) {
    Scattered<float> scattered(lies);
    std::vector<float> expected = scattered.array;
    for_each_element<float>(scattered.layout, meeting, [&](std::int64_t to, std::int64_t from) {
      element(expected, to) = element(scattered.windows, from);
    });
    EXPECT_EQ(scattered.after(ScatterKind::replace), expected) << "in windows of " << lies.elements;
  }
}

TEST(gather_windows, copies_the_same_in_runs_as_one_by_one) {
  for (const Lies& lies : ways_to_lie()) {
    Scattered<float> scattered(lies);
    std::vector<std::int64_t> inside = meeting;
    for (std::int64_t& index : inside) index = std::clamp<std::int64_t>(index, 0, 5);
    std::vector<float> expected(scattered.windows.size(), -1), found = expected;
    for_each_element<float>(scattered.layout, inside, [&](std::int64_t from, std::int64_t to) {
      element(expected, to) = element(scattered.array, from);
    });
    gather_windows(bytes(found), bytes(scattered.array), bytes(meeting), scattered.layout, sizeof(float));
    EXPECT_EQ(found, expected) << "in windows of " << lies.elements;
  }
}

TEST(scatter_windows, rounds_a_sum_of_halves_at_each_addition) {
  constexpr std::uint16_t one = 0x3f80, many = 0x4380;  // bf16: 1, 256; 257 is rounded to 256
  for (std::int64_t width : {1, 20}) {
    Windows layout = windows_of_row<std::uint16_t>(width, width, 2, DType::i64);
    const std::vector<std::int64_t> first{0, 0};
    std::vector<std::uint16_t> array(static_cast<std::size_t>(width), many), windows(array.size() * 2, one);
    scatter_windows(bytes(array), bytes(first), bytes(windows), layout, DType::bf16, ScatterKind::add);
    EXPECT_EQ(array, std::vector<std::uint16_t>(array.size(), many)) << width;
  }
}

TEST(scatter_windows, adds_the_parts_of_complex_numbers) {
  using Complex = std::complex<float>;
  for (std::int64_t width : {1, 5}) {
    Windows layout = windows_of_row<Complex>(width, width, 2, DType::i64);
    const std::vector<std::int64_t> first{0, 0};
    std::vector<Complex> array(static_cast<std::size_t>(width), {1, 2}), windows(array.size() * 2, {10, 200});
    scatter_windows(bytes(array), bytes(first), bytes(windows), layout, DType::complex64, ScatterKind::add);
    EXPECT_EQ(array, std::vector<Complex>(array.size(), {21, 402})) << width;
  }
}

}  // namespace
}  // namespace tutti
