// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/functions/made.hpp"
#include "tests/functions/on_one_device.hpp"

namespace tutti {
namespace {

Tensor f64(const Shape& shape, const std::vector<double>& values) { return {shape, values}; }

const Tensor matrix = f64({2, 2}, {2, 3, 4, 8});  // det 4, inverse [2 -0.75; -1 0.5]
const Type square(DType::f32, {2, 2});

void expect_near(const Tensor& found, const Tensor& wanted) {
  ASSERT_EQ(found.shape(), wanted.shape());
  for (std::int64_t i = 0; i < found.elements(); ++i) EXPECT_NEAR(found.at(i), wanted.at(i), 1e-13) << i;
}

TEST(solve, takes_a_vector_matrices_and_stacks_of_them) {
  const auto solved = [](const Tensor& a, const Tensor& b) {
    return made({a, b}, [](const Arrays& x) { return solve(x[0], x[1]); });
  };
  expect_near(solved(matrix, f64({2}, {7, 16})), f64({2}, {2, 1}));
  expect_near(solved(matrix, f64({2, 1}, {7, 16})), f64({2, 1}, {2, 1}));
  const Tensor two = f64({2, 2, 2}, {2, 3, 4, 8, 1, 0, 0, 2});
  expect_near(solved(two, f64({2}, {7, 16})), f64({2, 2}, {2, 1, 7, 8}));
  expect_near(solved(matrix, f64({2, 2, 1}, {7, 16, 2, 4})), f64({2, 2, 1}, {2, 1, 1, 0}));
}

TEST(solve, has_the_derivative_of_an_equation) {
  // The derivative of sum(a^-1 b) by a is -(a^-T 1) x^T with x = [2, 1], a^-T 1 = [1, -0.25].
  expect_near(slope_on_one_device({matrix, f64({2}, {7, 16})},
                                  [](const Arrays& x) { return solve(x[0], x[1]); }),
              f64({2, 2}, {-2, -1, 0.5, 0.25}));
}

TEST(solve, rejects_what_does_not_fit_c1_to_c4) {
  const auto of = [](Type a, Type b) {
    return refused({a, b}, [](const Arrays& x) { return solve(x[0], x[1]); });
  };
  EXPECT_EQ(
      of(Type(DType::f16, {2, 2}), Type(DType::f16, {2})),
      "T007: solve: f16[2,2] is not f32, f64, complex64 or complex128 (solve_c1); convert it: convert(x, "
      "DType::f32)");
  EXPECT_NE(of(square, Type(DType::f64, {2})).find("(solve_c2)"), std::string::npos);
  EXPECT_NE(of(Type(DType::f32, {2, 3}), Type(DType::f32, {2})).find("(solve_c3)"), std::string::npos);
  EXPECT_EQ(of(square, Type(DType::f32, {3})),
            "T005: solve: f32[3] has not 2 rows, as many as f32[2,2] (solve_c4)");
}

TEST(inv, times_the_matrix_is_the_identity) {
  expect_near(made({matrix}, [](const Arrays& x) { return inv(x[0]); }), f64({2, 2}, {2, -0.75, -1, 0.5}));
}

TEST(det, is_the_volume_with_a_sign) {
  const auto of = [](const Tensor& a) { return made({a}, [](const Arrays& x) { return det(x[0]); }); };
  expect_near(of(matrix), Tensor::scalar(4.0));
  expect_near(of(f64({2, 2, 2}, {2, 3, 4, 8, 0, 1, 1, 0})), f64({2}, {4, -1}));
  expect_near(of(f64({1, 1}, {3})), Tensor::scalar(3.0));
  expect_near(of(f64({0, 0}, {})), Tensor::scalar(1.0));
  expect_near(of(f64({2, 2}, {1, 2, 2, 4})), Tensor::scalar(0.0));
}

TEST(det, has_its_cofactors_as_derivative_also_where_it_is_zero) {
  const auto of = [](const Arrays& x) { return det(x[0]); };
  expect_near(slope_on_one_device({matrix}, of), f64({2, 2}, {8, -4, -3, 2}));
  expect_near(slope_on_one_device({f64({2, 2}, {1, 2, 2, 4})}, of), f64({2, 2}, {4, -2, -2, 1}));
  expect_near(slope_on_one_device({f64({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0})}, of),
              f64({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}));
  // Elimination meets a zero before the last column.
  expect_near(slope_on_one_device({f64({2, 2}, {0, 1, 0, 2})}, of), f64({2, 2}, {2, 0, -1, 0}));
  expect_near(slope_on_one_device({f64({3, 3}, {0, 1, 3, 0, 2, 1, 0, 1, 1})}, of),
              f64({3, 3}, {1, 0, 0, 2, 0, 0, -5, 0, 0}));
  expect_near(slope_on_one_device({f64({1, 3, 3}, {1, 1, 2, 2, 2, 1, 3, 3, 5})}, of),
              f64({1, 3, 3}, {7, -7, 0, 1, -1, 0, -3, 3, 0}));
  const Tensor last_is_zero = f64({4, 4}, {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0});
  expect_near(slope_on_one_device({last_is_zero}, of),
              f64({4, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6}));
}

TEST(slogdet, splits_sign_and_size) {
  const Tensors found = all_made({f64({3, 2, 2}, {2, 3, 4, 8, 0, 1, 1, 0, 1, 2, 2, 4})}, [](const Arrays& x) {
    const SlogdetResult both = slogdet(x[0]);
    return Arrays{both.sign, both.logabsdet};
  });
  expect_near(found[0], f64({3}, {1, -1, 0}));
  EXPECT_NEAR(found[1].at(0), std::log(4.0), 1e-14);
  EXPECT_EQ(found[1].at(2), -INFINITY);
}

TEST(cholesky, averages_both_triangles_unless_told_not_to) {
  const Tensor a = f64({2, 2}, {4, 1, 3, 5});
  expect_near(made({a}, [](const Arrays& x) { return cholesky(x[0]); }), f64({2, 2}, {2, 0, 1, 2}));
  expect_near(made({a}, [](const Arrays& x) { return cholesky(x[0], {.upper = true}); }),
              f64({2, 2}, {2, 1, 0, 2}));
  expect_near(made({a}, [](const Arrays& x) { return cholesky(x[0], {.symmetrize_input = false}); }),
              f64({2, 2}, {2, 0, 1.5, std::sqrt(2.75)}));
}

TEST(factors, solve_equations) {
  const Tensor a = f64({2, 2}, {4, 2, 2, 5}), b = f64({2}, {8, 12});  // the solution is [1, 2]
  expect_near(made({a, b}, [](const Arrays& x) { return cho_solve(cholesky(x[0]), x[1]); }),
              f64({2}, {1, 2}));
  expect_near(made({a, b},
                   [](const Arrays& x) {
                     return cho_solve(cholesky(x[0], {.upper = true}), x[1], {.lower = false});
                   }),
              f64({2}, {1, 2}));
  expect_near(made({a, b}, [](const Arrays& x) { return lu_solve(lu(x[0]), x[1]); }), f64({2}, {1, 2}));
}

}  // namespace
}  // namespace tutti
