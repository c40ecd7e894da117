// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/linalg/matrix_functions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/functions/made.hpp"
#include "tests/ops/factors.hpp"

namespace tutti {
namespace {

const Tensor counted_matrix(Shape{2, 2}, std::vector<double>{1, 2, 3, 4});

Tensor power(const Tensor& a, std::int64_t n) {
  return made({a}, [n](const Arrays& x) { return matrix_power(x[0], n); });
}

TEST(matrix_power, is_the_product_of_its_factors) {
  EXPECT_EQ(power(numbers({2, 2}, {1, 2, 3, 4}), 1), numbers({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(power(numbers({2, 2}, {1, 2, 3, 4}), 3), numbers({2, 2}, {37, 54, 81, 118}));
  EXPECT_EQ(power(numbers({2, 2}, {1, 1, 1, 0}), 10), numbers({2, 2}, {89, 55, 55, 34}));  // Fibonacci
}

TEST(matrix_power, of_zero_is_the_identity_of_each_matrix) {
  EXPECT_EQ(power(numbers({2, 1, 1}, {7, 8}), 0), numbers({2, 1, 1}, {1, 1}));
}

TEST(matrix_power, of_a_negative_number_is_that_of_the_inverse) {
  const double expected[] = {5.5, -2.5, -3.75, 1.75};
  const Tensor found = power(counted_matrix, -2);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(found.at(i), expected[i], 1e-13);
}

TEST(matrix_power, takes_two_products_for_each_bit_at_most) {
  EXPECT_EQ(equations({Type(DType::f32, {3, 3})}, "dot_general",
                      [](const Arrays& x) { return matrix_power(x[0], 1000); }),
            9 + 5);
}

TEST(matrix_power, rejects_what_is_not_square) {
  EXPECT_EQ(refused({Type(DType::f32, {2, 3})}, [](const Arrays& x) { return matrix_power(x[0], 2); }),
            "T005: matrix_power: f32[2,3] is no square matrix; its last two dims must be equal");
}

Tensor exponential(const Tensor& a) {
  return made({a}, [](const Arrays& x) { return expm(x[0]); });
}

TEST(expm, of_a_diagonal_has_the_exponentials_on_it) {
  const Tensor found = exponential(Tensor(Shape{2, 2}, std::vector<double>{-30, 0, 0, 3}));
  EXPECT_NEAR(found.at(0), std::exp(-30), 1e-25);
  EXPECT_EQ(found.at(1), 0);
  EXPECT_NEAR(found.at(3), std::exp(3), 1e-13);
}

// A rotation, by angles that take no squaring, some, and many.
TEST(expm, of_a_skew_matrix_turns_by_its_angle) {
  for (const double angle : {0.001, 1.0, 5.0, 100.0, 6e5}) {
    const Tensor found = exponential(Tensor(Shape{2, 2}, std::vector<double>{0, -angle, angle, 0}));
    EXPECT_NEAR(found.at(0), std::cos(angle), 1e-15 * (10 + 20 * angle)) << angle;
    EXPECT_NEAR(found.at(2), std::sin(angle), 1e-15 * (10 + 20 * angle)) << angle;
  }
}

TEST(expm, of_each_matrix_is_its_own_in_every_dtype) {
  for (const DType dtype : dtypes_of_lapack)
    expect_small(some_matrix({3, 4, 4}, dtype), [](const Arrays& x) {
      const Array both = matmul(expm(x[0]), expm(-x[0]));
      const Array last = index_in_dim(expm(x[0]), 2), alone = expm(index_in_dim(x[0], 2));
      return Arrays{distance(both, broadcast_to(eye(4, x[0].dtype()), both.shape())) / 32,
                    distance(last, alone) / 8};
    });
}

TEST(expm, of_a_norm_out_of_reach_is_nan_and_of_its_neighbour_is_not) {
  const Tensor found = exponential(Tensor(Shape{2, 1, 1}, std::vector<float>{-1e7F, -3}));
  EXPECT_TRUE(std::isnan(found.at(0)));
  EXPECT_NEAR(found.at(1), std::exp(-3), 1e-7);
}

TEST(expm, of_no_elements_is_empty) {
  EXPECT_EQ(exponential(Tensor({0, 0}, DType::f32)), Tensor({0, 0}, DType::f32));
}

// d/dt exp(t a) = a exp(t a).
TEST(expm, has_the_derivative_of_an_exponential) {
  const Tensor slope = made({counted_matrix}, [](const Arrays& x) {
    const Array a = x[0];
    auto grown = [&](const Array& t) { return expm(t * a); };
    const auto [value, moved] = jvp(grown, std::tuple{constant(2.0)}, std::tuple{constant(1.0)});
    return distance(moved, matmul(a, value)) / amax(value);
  });
  EXPECT_LE(slope.at(0), 1e-13);
}

TEST(expm, rejects_dtypes_without_a_solution_of_equations) {
  EXPECT_EQ(refused({Type(DType::f16, {2, 2})}, [](const Arrays& x) { return expm(x[0]); }),
            "T007: expm: f16[2,2] is neither f32, f64 nor complex; convert it: convert(x, DType::f32)");
}

}  // namespace
}  // namespace tutti
