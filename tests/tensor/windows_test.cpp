// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/windows.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tutti
