// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/linalg/least_squares.hpp"

#include <gtest/gtest.h>

#include "tests/functions/made.hpp"
#include "tests/ops/factors.hpp"

namespace tutti {
namespace {

// a p a = a, p a p = p, and both products are Hermitian: Moore and Penrose's definition.
TEST(pinv, fulfils_its_definition_for_tall_wide_and_singular_matrices) {
  for (const DType dtype : dtypes_of_lapack)
    for (const Shape& shape : {Shape{5, 3}, Shape{3, 5}, Shape{2, 4, 4}})
      for (const bool is_singular : {false, true})
        expect_small(some_matrix(shape, dtype), [is_singular](const Arrays& x) {
          const Array first = slice_in_dim(x[0], 0, 2, 1, -1), last = slice_in_dim(x[0], 0, 2, 1, -2);
          const Array a = is_singular ? matmul(first, last) : x[0];
          const Array p = pinv(a), rows = matmul(a, p), columns = matmul(p, a);
          return Arrays{distance(matmul(rows, a), a), distance(matmul(columns, p), p) / 100,
                        distance(rows, adjoint(rows)), distance(columns, adjoint(columns))};
        });
}

TEST(pinv, counts_small_singular_values_as_zero) {
  const Tensor a(Shape{2, 2}, std::vector<double>{4, 0, 0, 1});
  EXPECT_NEAR(made({a}, [](const Arrays& x) { return pinv(x[0]); }).at(3), 1, 1e-15);
  EXPECT_EQ(made({a}, [](const Arrays& x) { return pinv(x[0], {.rtol = 0.3}); }).at(3), 0);
}

TEST(pinv, of_no_rows_has_no_columns) {
  EXPECT_EQ(made({Tensor({0, 2}, DType::f32)}, [](const Arrays& x) { return pinv(x[0]); }),
            Tensor({2, 0}, DType::f32));
}

// Equal singular values have no vectors of their own; the inverse moves smoothly all the same.
TEST(pinv, has_the_derivative_of_the_inverse_where_singular_values_are_equal) {
  const Tensor slope = made({Tensor(Shape{2, 2}, std::vector<double>{2, 0, 0, 2})}, [](const Arrays& x) {
    return grad([](const Array& a) { return reduce_sum(pinv(a)); })(x[0]);
  });
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(slope.at(i), -0.25, 1e-15);
}

TEST(matrix_rank, counts_singular_values) {
  const Tensor a(Shape{3, 2, 2}, std::vector<double>{1, 2, 2, 4, 1, 0, 0, 1, 0, 0, 0, 0});
  EXPECT_EQ(made({a}, [](const Arrays& x) { return matrix_rank(x[0]); }), numbers({3}, {1, 2, 0}));
  EXPECT_EQ(made({Tensor({4, 0, 2}, DType::f32)}, [](const Arrays& x) { return matrix_rank(x[0]); }),
            numbers({4}, {0, 0, 0, 0}));
}

const Tensor line(Shape{4, 2}, std::vector<double>{0, 1, 1, 1, 2, 1, 3, 1}),
    heights(Shape{4}, std::vector<double>{-1, 0.2, 0.9, 2.1});

// The example of numpy.linalg.lstsq.
TEST(lstsq, lays_a_line_through_points) {
  const Tensors found = all_made({line, heights}, [](const Arrays& x) {
    const auto [solution, residuals, rank, s] = lstsq(x[0], x[1]);
    return Arrays{solution, residuals, rank, s};
  });
  EXPECT_NEAR(found[0].at(0), 1, 1e-14);
  EXPECT_NEAR(found[0].at(1), -0.95, 1e-14);
  EXPECT_NEAR(found[1].at(0), 0.05, 1e-14);
  EXPECT_EQ(found[2], numbers({}, {2}));
  EXPECT_NEAR(found[3].at(0), 4.10003045, 1e-8);
}

TEST(lstsq, has_the_derivative_of_its_normal_equations) {
  const Tensors slopes = all_made({line, heights}, [](const Arrays& x) {
    auto steepness = [](const Array& a, const Array& b) { return lstsq(a, b).x[0]; };
    auto by_normal_equations = [](const Array& a, const Array& b) {
      const Array at = transpose(a);
      return solve(matmul(at, a), matmul(at, b))[0];
    };
    return Arrays{distance(grad<0>(steepness)(x[0], x[1]), grad<0>(by_normal_equations)(x[0], x[1])),
                  distance(grad<1>(steepness)(x[0], x[1]), grad<1>(by_normal_equations)(x[0], x[1]))};
  });
  EXPECT_LE(slopes[0].at(0), 1e-13);
  EXPECT_LE(slopes[1].at(0), 1e-13);
}

TEST(lstsq, of_too_few_equations_is_the_shortest_solution) {
  const Tensor a(Shape{1, 2}, std::vector<float>{3, 4}), b(Shape{1, 1}, std::vector<float>{25});
  const Tensor x = made({a, b}, [](const Arrays& given) { return lstsq(given[0], given[1]).x; });
  EXPECT_EQ(x.shape(), (Shape{2, 1}));
  EXPECT_NEAR(x.at(0), 3, 1e-5);
  EXPECT_NEAR(x.at(1), 4, 1e-5);
}

TEST(lstsq, of_no_equations_is_zero) {
  const Tensors found =
      all_made({Tensor({0, 2}, DType::f32), Tensor({0, 3}, DType::f32)}, [](const Arrays& x) {
        const auto [solution, residuals, rank, s] = lstsq(x[0], x[1]);
        return Arrays{solution, residuals, rank, s};
      });
  EXPECT_EQ(found[0], Tensor({2, 3}, DType::f32));
  EXPECT_EQ(found[2], numbers({}, {0}));
}

std::string refused_of(const Shape& a, const Shape& b) {
  return refused({Type(DType::f32, a), Type(DType::f32, b)},
                 [](const Arrays& x) { return lstsq(x[0], x[1]).x; });
}

TEST(lstsq, rejects_several_matrices_c1) {
  EXPECT_EQ(refused_of({2, 3, 3}, {3}),
            "T005: lstsq: f32[2,3,3] is no matrix (lstsq_c1); use vmap for several");
}
TEST(lstsq, rejects_a_right_side_that_does_not_fit_c2) {
  EXPECT_EQ(
      refused_of({3, 2}, {2}),
      "T005: lstsq: the right side f32[2] does not fit f32[3,2] (lstsq_c2); it has one or two dims, and as "
      "many rows");
}

}  // namespace
}  // namespace tutti
