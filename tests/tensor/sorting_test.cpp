// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/sorting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti {
namespace {

std::vector<std::int64_t> order_by(std::span<const SortKeys> keys, std::size_t n) {
  std::vector<std::int64_t> order(n);
  std::vector<std::byte> scratch(sorting_scratch_bytes(static_cast<std::int64_t>(n), 8));
  sorted_order(order, keys, scratch.data());
  return order;
}

template <class T>
void expect_in_order(DType dtype, std::size_t times) {
  const auto some = edge_values<T>();
  auto keys = some;
  for (std::size_t i = 0; i < times; ++i) keys.insert(keys.end(), some.rbegin(), some.rend());
  const SortKeys by[] = {{bytes(keys), 1, dtype}};
  const auto order = order_by(by, keys.size());
  for (std::size_t k = 1; k < order.size(); ++k) {
    const auto a = static_cast<T>(keys[std::size_t(order[k - 1])]),
               b = static_cast<T>(keys[std::size_t(order[k])]);
    const bool equal = a == b || (a != a && b != b);
    ASSERT_TRUE(equal ? order[k - 1] < order[k] : a < b || b != b)
        << name(dtype) << ' ' << +a << " before " << +b << " of " << keys.size();
  }
}

TEST(sorted_order, is_ascending_stable_and_puts_nan_last) {
  for (DType dtype : arithmetic_dtypes())
    for (std::size_t times : {0, 1, 9, 200})  // inserted, merged, by digits
      with_type(dtype, [=]<class T>(T) { expect_in_order<T>(dtype, times); });
}

/// Lines are in the order of their indices, bit for bit: zeros and NaNs keep their order.
template <class T>
void expect_sorted_lines(DType dtype, std::int64_t n, std::int64_t inner) {
  const auto some = edge_values<T>();
  auto x = some;
  while (std::ssize(x) < 2 * n * inner) x.insert(x.end(), some.rbegin(), some.rend());
  x.resize(static_cast<std::size_t>(2 * n * inner));
  for (std::size_t i = 0; i < x.size(); i += 3) std::swap(x[i], x[(i * 7919) % x.size()]);
  auto found = x, expected = x;
  const AlongDim shape{2, n, inner};
  const std::size_t needed = sort_lines_scratch_bytes(shape, sizeof(x[0]));
  Tensor scratch({static_cast<std::int64_t>(needed)}, DType::boolean);
  sort_lines(bytes(found), bytes(x), shape, dtype, scratch.mutable_bytes());
  for (std::int64_t line = 0; line < 2 * inner; ++line) {
    const std::int64_t start = line / inner * n * inner + line % inner;
    const SortKeys by[] = {{bytes(x) + start * static_cast<std::int64_t>(sizeof(x[0])), inner, dtype}};
    const auto order = order_by(by, static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k)
      expected[std::size_t(start + k * inner)] = x[std::size_t(start + order[std::size_t(k)] * inner)];
  }
  EXPECT_TRUE(x.empty() || std::memcmp(found.data(), expected.data(), x.size() * sizeof(x[0])) == 0)
      << name(dtype) << ", lines of " << n << ", " << inner << " apart";
}

class sorted_lines : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(on, sorted_lines, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

TEST_P(sorted_lines, are_in_the_order_of_their_indices) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : arithmetic_dtypes())
    for (std::int64_t n : {0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 100, 1000, 5000})
      for (std::int64_t inner : {1, 3, 8, 20})
        if (n * inner <= 5000) with_type(dtype, [=]<class T>(T) { expect_sorted_lines<T>(dtype, n, inner); });
}

TEST(sorted_order, follows_a_stride) {
  const std::vector<std::int32_t> keys{9, -1, 7, -1, 8};
  const SortKeys by[] = {{bytes(keys), 2, DType::i32}};
  EXPECT_EQ(order_by(by, 3), (std::vector<std::int64_t>{1, 2, 0}));
}

TEST(sorted_order, of_equal_first_keys_goes_by_the_next) {
  for (std::int64_t n : {7, 100, 3000}) {
    std::vector<std::int32_t> first(static_cast<std::size_t>(n));
    std::vector<double> second(first.size());
    for (std::int64_t i = 0; i < n; ++i) {
      first[std::size_t(i)] = static_cast<std::int32_t>(i * 7919 % 5);
      second[std::size_t(i)] = static_cast<double>(i * 104729 % 11) - 5;
    }
    const SortKeys by[] = {{bytes(first), 1, DType::i32}, {bytes(second), 1, DType::f64}};
    std::vector<std::int64_t> wanted(first.size());
    std::iota(wanted.begin(), wanted.end(), std::int64_t{0});
    std::ranges::stable_sort(wanted, {}, [&](std::int64_t i) {
      return std::pair(first[std::size_t(i)], second[std::size_t(i)]);
    });
    EXPECT_EQ(order_by(by, first.size()), wanted);
  }
}

template <class T>
void expect_the_largest(DType dtype, const AlongDim& shape, std::int64_t k) {
  auto some = edge_values<T>();
  auto x = some;
  for (std::int64_t i = 0; i < shape.elements(); ++i)
    x.push_back(some[static_cast<std::size_t>(i * i * 7 + i / 5) % some.size()]);
  x.resize(static_cast<std::size_t>(shape.elements()));
  auto values = x;
  std::vector<std::int32_t> indices(x.size(), -1);
  const std::size_t width = sizeof(x[0]);
  std::vector<std::byte> scratch(largest_elements_scratch_bytes(shape.n, k, width));
  largest_elements(bytes(values), bytes(indices), bytes(x), shape, k, dtype, scratch.data());
  for (std::int64_t o = 0; o < shape.outer; ++o)
    for (std::int64_t i = 0; i < shape.inner; ++i) {
      auto at = [&](std::int64_t j) {
        return static_cast<T>(x[std::size_t((o * shape.n + j) * shape.inner + i)]);
      };
      std::vector<std::int32_t> wanted(static_cast<std::size_t>(shape.n));
      std::iota(wanted.begin(), wanted.end(), 0);
      std::ranges::stable_sort(wanted, [&](std::int32_t p, std::int32_t q) {
        const T a = at(p), b = at(q);
        if constexpr (std::floating_point<T>)
          if (a == b) return std::signbit(b) && !std::signbit(a);
        return a > b || (a != a && b == b);
      });
      for (std::int64_t j = 0; j < k; ++j)
        ASSERT_EQ(indices[std::size_t((o * k + j) * shape.inner + i)], wanted[std::size_t(j)])
            << name(dtype) << " place " << j << " of " << k << " of " << shape.n;
    }
}

TEST(largest_elements, are_in_descending_order_with_nan_first) {
  for (DType dtype : arithmetic_dtypes())
    with_type(dtype, [=]<class T>(T) {
      for (std::int64_t n : {1, 5, 70, 700, 9000})
        for (std::int64_t k : {0, 1, 3, 64, 300, 9000})
          if (k <= n) expect_the_largest<T>(dtype, {1, n, 1}, k);
      expect_the_largest<T>(dtype, {2, 50, 3}, 4);
      expect_the_largest<T>(dtype, {2, 5, 3}, 5);
    });
}

}  // namespace
}  // namespace tutti
