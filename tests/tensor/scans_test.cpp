// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/scans.hpp"
#include "tutti/base/inside.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"

namespace tutti {
namespace {

template <class T>
std::vector<T> sums_of(const std::vector<T>& x, const AlongDim& shape, Order order) {
  std::vector<T> sums(x.size());
  cumulative(bytes(sums), bytes(x), shape, dtype_of<T>(), CumulativeKind::sum, order);
  return sums;
}

/// The first running sum of floats that is further off than 2 ceil(log2 n) eps sum|x|, plus one.
template <class T>
std::int64_t first_inaccurate_sum(const std::vector<T>& x, const std::vector<T>& sums) {
  long double exact = 0, magnitude = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    exact += x[i];
    magnitude += std::fabs(x[i]);
    const double terms = static_cast<double>(i) + 1;
    const long double eps = std::numeric_limits<T>::epsilon() / 2;
    if (std::fabs(sums[i] - exact) > 2 * std::ceil(std::log2(terms)) * eps * magnitude)
      return std::int64_t(i) + 1;
  }
  return 0;
}

TEST(cumulative, is_within_its_bound_however_long_the_dim) {
  const auto x = spread_values<float>(100000, 5);
  EXPECT_EQ(first_inaccurate_sum(x, sums_of(x, {1, 100000, 1}, Order::forward)), 0);
  std::vector<float> one_by_one = x;  // planted: ten thousand roundings
  for (std::size_t i = 1; i < x.size(); ++i) one_by_one[i] = one_by_one[i - 1] + std::fabs(x[i]);
  std::vector<float> positive = x;
  for (float& value : positive) value = std::fabs(value);
  one_by_one[0] = positive[0];
  EXPECT_EQ(first_inaccurate_sum(positive, sums_of(positive, {1, 100000, 1}, Order::forward)), 0);
  EXPECT_NE(first_inaccurate_sum(positive, one_by_one), 0);
}

TEST(cumulative, goes_along_the_middle_both_ways) {
  const std::vector<std::int32_t> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(sums_of(x, {2, 3, 2}, Order::forward),
            (std::vector<std::int32_t>{1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30}));
  EXPECT_EQ(sums_of(x, {2, 3, 2}, Order::backward),
            (std::vector<std::int32_t>{9, 12, 8, 10, 5, 6, 27, 30, 20, 22, 11, 12}));
}

/// The sums so far, by the tree of decision 0005: those of blocks of 2^k terms, like the digits of a number.
template <class T>
std::vector<T> by_the_tree(const std::vector<T>& x) {
  std::vector<T> blocks, sums;
  for (std::size_t count = 0; count < x.size(); ++count) {
    T block = x[count];
    for (std::size_t carry = count; carry % 2 == 1; carry /= 2) {
      block = static_cast<T>(blocks.back() + block);
      blocks.pop_back();
    }
    blocks.push_back(block);
    T sum = blocks.back();
    for (std::size_t level = blocks.size() - 1; level > 0; --level)
      sum = static_cast<T>(blocks[level - 1] + sum);
    sums.push_back(sum);
  }
  return sums;
}

/// Running sums of the columns that `shape` takes. The other elements are 7.
template <class T>
std::vector<T> by_the_tree(const std::vector<T>& x, const AlongDim& shape, Order order) {
  std::vector<T> expected(x.size(), T{7});
  for (std::int64_t o = 0; o < shape.outer; ++o)
    for (std::int64_t i = 0; i < shape.inner; ++i) {
      const auto at = [&](std::int64_t k) {
        const std::int64_t along = order == Order::forward ? k : shape.n - 1 - k;
        return static_cast<std::size_t>((o * shape.n + along) * shape.stride + i);
      };
      std::vector<T> terms;
      for (std::int64_t k = 0; k < shape.n; ++k) terms.push_back(x[at(k)]);
      const std::vector<T> sums = by_the_tree(terms);
      for (std::int64_t k = 0; k < shape.n; ++k) expected[at(k)] = sums[static_cast<std::size_t>(k)];
    }
  return expected;
}

template <class T>
void expect_the_tree(const AlongDim& shape, Order order) {
  const auto x = spread_values<T>(static_cast<std::size_t>(shape.outer * shape.n * shape.stride), 5);
  std::vector<T> found(x.size(), T{7});
  cumulative(bytes(found), bytes(x), shape, dtype_of<T>(), CumulativeKind::sum, order);
  EXPECT_TRUE(found == by_the_tree(x, shape, order))
      << name(dtype_of<T>()) << ' ' << shape.n << " by " << shape.inner << " of " << shape.stride;
}

class cumulative_on : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(all, cumulative_on, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

TEST_P(cumulative_on, has_the_same_tree_in_rows_and_in_columns) {
  const UseInstructionSet use(GetParam());
  for (const std::int64_t n : {1, 2, 15, 16, 17, 31, 33, 100, 1000})
    for (const std::int64_t inner : {1, 2, 63, 65, 128, 260})
      for (const Order order : {Order::forward, Order::backward})
        for (const std::int64_t others : {0, 3}) {
          if (n * inner > 65'000) continue;
          const AlongDim shape{2, n, inner, inner + others};
          expect_the_tree<float>(shape, order);
          expect_the_tree<double>(shape, order);
          expect_the_tree<std::uint32_t>(shape, order);
          expect_the_tree<std::uint64_t>(shape, order);
          expect_the_tree<std::uint16_t>(shape, order);  // without vectors
        }
}

TEST(cumulative, of_integers_wraps) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(sums_of<std::int64_t>({most, 1, 1}, {1, 3, 1}, Order::forward),
            (std::vector<std::int64_t>{most, -most - 1, -most}));
}

TEST(cumulative, propagates_nan_and_orders_zeros) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto folds = [](const std::vector<float>& x, CumulativeKind kind) {
    std::vector<float> found(x.size());
    cumulative(bytes(found), bytes(x), {1, std::int64_t(x.size()), 1}, DType::f32, kind, Order::forward);
    return found;
  };
  EXPECT_EQ(folds({1, 3, 2, 5}, CumulativeKind::max), (std::vector<float>{1, 3, 3, 5}));
  EXPECT_EQ(folds({4, 3, 6, 2}, CumulativeKind::min), (std::vector<float>{4, 3, 3, 2}));
  EXPECT_EQ(folds({2, -3, 0, 5}, CumulativeKind::prod), (std::vector<float>{2, -6, -0.0F, -0.0F}));
  const auto with_nan = folds({1, nan, 7}, CumulativeKind::max);
  EXPECT_EQ(with_nan[0], 1);
  EXPECT_TRUE(std::isnan(with_nan[1]) && std::isnan(with_nan[2]));
  EXPECT_FALSE(std::signbit(folds({-0.0F, 0}, CumulativeKind::max)[1]));
  EXPECT_TRUE(std::signbit(folds({0, -0.0F}, CumulativeKind::min)[1]));
}

TEST(cumulative, logsumexp_neither_overflows_nor_loses_small_terms) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> x{-infinity, -1000, -1000, 800, 1500, infinity, 3};
  std::vector<double> found(x.size());
  cumulative(bytes(found), bytes(x), {1, std::int64_t(x.size()), 1}, DType::f64, CumulativeKind::logsumexp,
             Order::forward);
  const double ln2 = std::log(2.0);
  EXPECT_EQ(found, (std::vector<double>{-infinity, -1000, -1000 + ln2, 800, 1500, infinity, infinity}));
  const std::vector<double> ones(100000, 0.25);
  std::vector<double> sums(ones.size());
  cumulative(bytes(sums), bytes(ones), {1, 100000, 1}, DType::f64, CumulativeKind::logsumexp, Order::forward);
  for (std::size_t i = 0; i < sums.size(); i += 997)
    EXPECT_NEAR(sums[i], 0.25 + std::log(static_cast<double>(i) + 1), 1e-14);
}

TEST(index_of_extreme, is_the_first_nan_or_extreme_of_every_dtype) {
  for (DType dtype : arithmetic_dtypes())
    with_type(dtype, [=]<class T>(T) {
      const auto x = edge_values<T>();
      std::int32_t found = -1;
      index_of_extreme(reinterpret_cast<std::byte*>(&found), bytes(x), {1, std::int64_t(x.size()), 1}, dtype,
                       Extreme::smallest, DType::i32);
      auto nan = std::ranges::find_if(x, [](auto value) { return value != value; });
      auto want = nan != x.end() ? nan : std::ranges::min_element(x);
      EXPECT_EQ(found, want - x.begin()) << name(dtype);
    });
}

/// Multiples of 1/2 or whole numbers, with many equal ones; NaNs at some places.
template <class T>
std::vector<Stored<T>> numbers_with_ties(std::int64_t n, std::int64_t nan_every) {
  std::vector<Stored<T>> x(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t value = (i * 7919 + i / 13) % 23 - 11;
    x[std::size_t(i)] = static_cast<T>(std::is_unsigned_v<T> ? value + 11 : value);
    if constexpr (std::floating_point<T>) {
      if (value == 0 && i % 2 == 0) x[std::size_t(i)] = -T{0};
      if (nan_every > 0 && i % nan_every == nan_every - 1)
        x[std::size_t(i)] = std::numeric_limits<T>::quiet_NaN();
    }
  }
  return x;
}

template <class T>
void expect_the_first_extremes(DType dtype, const AlongDim& shape, Extreme extreme, std::int64_t nan_every) {
  const auto x = numbers_with_ties<T>(shape.elements(), nan_every);
  std::vector<std::int64_t> found(std::size_t(shape.outer * shape.inner), -1);
  index_of_extreme(bytes(found), bytes(x), shape, dtype, extreme, DType::i64);
  for (std::int64_t o = 0; o < shape.outer; ++o)
    for (std::int64_t i = 0; i < shape.inner; ++i) {
      const auto at = [&](std::int64_t k) {
        return static_cast<T>(x[std::size_t((o * shape.n + k) * shape.inner + i)]);
      };
      std::int64_t want = 0;
      for (std::int64_t k = 1; k < shape.n; ++k) {
        const T a = at(k), b = at(want);
        if (b == b && (a != a || (extreme == Extreme::largest ? a > b : a < b))) want = k;
      }
      ASSERT_EQ(found[std::size_t(o * shape.inner + i)], want)
          << name(dtype) << " of " << shape.n << ", " << i << " of " << shape.inner;
    }
}

TEST(index_of_extreme, is_the_first_of_equals_however_long_the_dim) {
  for (DType dtype : arithmetic_dtypes())
    with_type(dtype, [=]<class T>(T) {
      for (std::int64_t n : {1, 2, 1023, 1024, 1025, 3000})
        for (std::int64_t inner : {1, 3, 257})
          for (std::int64_t nan_every : {0, 701, 1030})
            for (Extreme extreme : {Extreme::largest, Extreme::smallest})
              expect_the_first_extremes<T>(dtype, {2, n, inner}, extreme, nan_every);
    });
}

}  // namespace
}  // namespace tutti
