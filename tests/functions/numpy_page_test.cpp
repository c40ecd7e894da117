// SPDX-License-Identifier: Apache-2.0
// Expressions that docs/numpy.md gives for functions of NumPy.
#include <gtest/gtest.h>

#include "tests/functions/made.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array gcd(const Array& first, const Array& second) {
  auto next = [](const Arrays& x) {
    const Array is_done = equal(x[1], 0), larger = where(is_done, x[0], x[1]);
    return Arrays{larger, where(is_done, 0, x[0] % x[1])};
  };
  return abs(while_loop([](const Arrays& x) { return any(x[1]); }, next, Arrays{first, second})[0]);
}

Array lcm(const Array& a, const Array& b) {
  const Array g = gcd(a, b);
  return abs(a / where(equal(g, 0), 1, g) * b);
}

TEST(numpy_page, gcd_ends_and_lcm_follows) {
  const Tensor a = numbers({6}, {12, 7, 0, -8, 0, 9}), b = numbers({6}, {18, 0, 5, 12, 0, 28});
  EXPECT_EQ(made({a, b}, [](const Arrays& x) { return gcd(x[0], x[1]); }), numbers({6}, {6, 7, 5, 4, 0, 1}));
  EXPECT_EQ(made({a, b}, [](const Arrays& x) { return lcm(x[0], x[1]); }),
            numbers({6}, {36, 0, 0, 24, 0, 252}));
}

TEST(numpy_page, digitize_puts_an_edge_into_the_bin_above) {
  EXPECT_EQ(made({numbers({3}, {0, 1, 4}), numbers({5}, {-1, 0, 1, 3, 4})},
                 [](const Arrays& x) { return searchsorted(x[0], x[1], {.side = Side::right}); }),
            numbers({5}, {0, 1, 2, 2, 3}));
}

Array bins_of(const Array& edges, const Array& x) {
  const auto m = static_cast<std::int32_t>(edges.dim(0) - 1);
  const Array is_last = equal(x, index_in_dim(edges, -1));
  return where(is_last, m, searchsorted(edges, x, {.side = Side::right})) - 1;
}

TEST(numpy_page, histogram2d_has_the_last_edge_and_drops_what_is_outside) {
  const Tensor x = numbers({5}, {0, 2, 4, 5, 1}), y = numbers({5}, {0, 1, 2, 1, -1});
  auto counts = [](const Arrays& a) {
    const Array i = bins_of(a[2], a[0]), j = bins_of(a[3], a[1]);
    const Array lower = minimum(i, j) >= 0, left = i < 2, below = j < 2;
    const Array inside = lower & left & below;
    return bincount(where(inside, i * 2 + j, 4), 4);
  };
  EXPECT_EQ(made({x, y, numbers({3}, {0, 2, 4}), numbers({3}, {0, 1, 2})}, counts),
            numbers({4}, {1, 0, 0, 2}));
}

TEST(numpy_page, unique_inverse_searches_in_values_with_the_largest_fill) {
  const Tensor x = numbers({4}, {3, 1, 7, 3});
  auto inverse = [](const Arrays& a) {
    return searchsorted(unique(a[0], 6, {.fill = std::numeric_limits<std::int32_t>::max()}), a[0]);
  };
  EXPECT_EQ(made({x}, inverse), numbers({4}, {1, 0, 2, 1}));
}

TEST(numpy_page, interp_is_constant_outside) {
  const Tensor x(Shape{5}, {0.F, 1.F, 1.5F, 4.F, 9.F}), xp(Shape{3}, {1.F, 2.F, 4.F}),
      fp(Shape{3}, {3.F, 5.F, 1.F});
  auto interp = [](const Arrays& a) {
    const Array least = index_in_dim(a[1], 0), c = clamp(least, a[0], index_in_dim(a[1], -1));
    const Array i = clamp(1, searchsorted(a[1], c), 2), before = i - 1;
    const Array x0 = take(a[1], before, 0), y0 = take(a[2], before, 0);
    const Array width = take(a[1], i, 0) - x0, slope = (take(a[2], i, 0) - y0) / width;
    return y0 + slope * (c - x0);
  };
  EXPECT_EQ(made({x, xp, fp}, interp), Tensor(Shape{5}, {3.F, 3.F, 4.F, 1.F, 1.F}));
}

TEST(numpy_page, place_puts_values_one_after_the_other) {
  const Tensor x = numbers({4}, {1, 2, 3, 4}), values = numbers({2}, {8, 9});
  auto placed = [](const Arrays& a) {
    const Array mask = a[0] > 2, order = cumsum(convert(mask, DType::i32)) - 1;
    return where(mask, take(a[1], order, 0), a[0]);
  };
  EXPECT_EQ(made({x, values}, placed), numbers({4}, {1, 2, 8, 9}));
}

}  // namespace
}  // namespace tutti
