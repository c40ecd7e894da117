// SPDX-License-Identifier: Apache-2.0
// cholesky, triangular_solve and lu: worked numbers, edge cases, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/linalg/cholesky.hpp"
#include "tutti/ops/linalg/lu.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"

namespace tutti {
namespace {

const Type matrix(DType::f64, {2, 2}), tall(DType::f64, {3, 2});
const Axis axis = example_mesh().axes()[0];

Tensor f64(const Shape& shape, const std::vector<double>& values) { return {shape, values}; }
Tensor i32(const Shape& shape, const std::vector<std::int32_t>& values) { return {shape, values}; }

// [4 2; 2 5] = l l^T with l = [2 0; 1 2]. The other triangle is not read.
TEST(cholesky_op, gives_the_factor_of_the_triangle_that_it_reads) {
  EXPECT_EQ(computed(Cholesky{}, {f64({2, 2}, {4, 99, 2, 5})})[0], f64({2, 2}, {2, 0, 1, 2}));
  EXPECT_EQ(computed(Cholesky{false}, {f64({2, 2}, {4, 2, 99, 5})})[0], f64({2, 2}, {2, 1, 0, 2}));
}

TEST(cholesky_op, conjugates_the_right_factor_of_complex_matrices) {
  using C = std::complex<double>;
  const Tensor a(Shape{2, 2}, std::vector<C>{4, 99, C(0, 2), 5}),
      l(Shape{2, 2}, std::vector<C>{2, 0, C(0, 1), 2});
  EXPECT_EQ(computed(Cholesky{}, {a})[0], l);
}

TEST(cholesky_op, has_nan_in_the_triangle_of_a_matrix_that_is_not_positive_definite_and_only_there) {
  const Tensor found = computed(Cholesky{}, {f64({2, 2, 2}, {1, 0, 2, 1, 4, 0, 2, 5})})[0];
  EXPECT_TRUE(std::isnan(found.at(0)) && std::isnan(found.at(2)) && std::isnan(found.at(3)));
  EXPECT_EQ(found.at(1), 0);
  EXPECT_EQ(found.at(4), 2);
  EXPECT_EQ(found.at(7), 2);
}

// OpenBLAS does not report a NaN, and leaves sqrt(2) behind it.
TEST(cholesky_op, has_nan_in_the_triangle_of_a_matrix_with_a_nan) {
  for (double x : {1.0, 0.0}) {
    const Tensor found = computed(Cholesky{}, {f64({2, 2}, {NAN, 1, x, 2})})[0];
    EXPECT_TRUE(std::isnan(found.at(0)) && std::isnan(found.at(2)) && std::isnan(found.at(3)));
  }
}

TEST(cholesky_op, takes_no_matrices_and_matrices_of_no_elements) {
  EXPECT_EQ(computed(Cholesky{}, {f64({0, 2, 2}, {})})[0], f64({0, 2, 2}, {}));
  EXPECT_EQ(computed(Cholesky{}, {f64({2, 0, 0}, {})})[0], f64({2, 0, 0}, {}));
  EXPECT_EQ(computed(Cholesky{}, {f64({1, 1}, {9})})[0], f64({1, 1}, {3}));
}

TEST(cholesky_op, rejects_other_dtypes_c1) {
  EXPECT_EQ(refusal_of(Cholesky{}, {Type(DType::bf16, {2, 2})}),
            "T007: bf16[2,2] is not f32, f64, complex64 or complex128 (cholesky_c1); convert it: convert(x, "
            "DType::f32)");
}

TEST(cholesky_op, rejects_what_is_not_square_c2) {
  EXPECT_EQ(refusal_of(Cholesky{}, {tall}),
            "T005: f64[3,2] has 3 rows and 2 columns in its last two dims; they must be equal (cholesky_c2)");
  const Axis axis = example_mesh().axes()[0];
  EXPECT_EQ(
      refusal_of(Cholesky{}, {Type(DType::f64, {1, 4}).with(axis, varying)}),
      "T005: f64[1,4]{V:a} has 1 row and 4 columns in its last two dims; they must be equal (cholesky_c2). "
      "Inside of shard_map it is the block of one device: all_gather joins the blocks");
  EXPECT_EQ(refusal_of(Cholesky{}, {Type(DType::f64, {2})}),
            "T005: f64[2] is no matrix: it needs two dims or more, and the last two are rows and columns "
            "(cholesky_c2)");
}

TEST(cholesky_op, rejects_an_unreduced_sum) {
  EXPECT_EQ(refusal_of(Cholesky{}, {matrix.with(axis, unreduced)}).substr(0, 4), "T004");
}

// l = [2 0; 1 4], b = [2 4; 9 10]: l x = b has x = [1 2; 2 2].
TEST(triangular_solve_op, solves_on_both_sides_and_in_every_form) {
  const Tensor l = f64({2, 2}, {2, 99, 1, 4}), b = f64({2, 2}, {2, 4, 9, 10});
  EXPECT_EQ(computed(TriangularSolve{}, {l, b})[0], f64({2, 2}, {1, 2, 2, 2}));
  const Tensor bt = f64({2, 2}, {2, 9, 4, 10});  // x l^T = b^T
  EXPECT_EQ(computed(TriangularSolve{.is_left = false, .form = MatrixForm::transposed}, {l, bt})[0],
            f64({2, 2}, {1, 2, 2, 2}));
  // [1 3; 0 1]^T x = b reads the upper triangle, and ones for the diagonal.
  const Tensor u = f64({2, 2}, {77, 3, 99, 88});
  const TriangularSolve unit{.is_lower = false, .has_unit_diagonal = true, .form = MatrixForm::transposed};
  EXPECT_EQ(computed(unit, {u, f64({2, 1}, {1, 5})})[0], f64({2, 1}, {1, 2}));
}

TEST(triangular_solve_op, gives_infinities_for_a_zero_on_the_diagonal) {
  const Tensor found = computed(TriangularSolve{}, {f64({1, 1}, {0}), f64({1, 2}, {1, -1})})[0];
  EXPECT_EQ(found, f64({1, 2}, {INFINITY, -INFINITY}));
}

TEST(triangular_solve_op, is_typed_by_the_right_side_as_linear) {
  const Types found = TriangularSolve{}.infer({matrix.with(axis, reduced), matrix.with(axis, unreduced)});
  EXPECT_EQ(found[0].at(axis), unreduced);
  EXPECT_EQ(
      refusal_of(TriangularSolve{}, {matrix.with(axis, unreduced), matrix.with(axis, reduced)}),
      "T004: the matrix is an unreduced sum over 'a' (f64[2,2]{U:a}); an equation cannot be solved by its "
      "terms. Reduce first: psum(a, \"a\")");
}

TEST(triangular_solve_op, rejects_bad_operands_c1_to_c4) {
  const auto refused = [](Type a, Type b) { return refusal_of(TriangularSolve{}, {a, b}); };
  EXPECT_NE(refused(Type(DType::f16, {2, 2}), Type(DType::f16, {2, 2})).find("(triangular_solve_c1)"),
            std::string::npos);
  EXPECT_NE(refused(matrix, Type(DType::f32, {2, 2})).find("(triangular_solve_c2)"), std::string::npos);
  EXPECT_NE(refused(tall, tall).find("(triangular_solve_c3)"), std::string::npos);
  EXPECT_NE(refused(matrix, tall).find("(triangular_solve_c4)"), std::string::npos);
  EXPECT_NE(refused(matrix, Type(DType::f64, {3, 2, 2})).find("(triangular_solve_c4)"), std::string::npos);
}

// Column 0 has its largest element in row 1, then the rest is [1 - 1 = 0; ..].
TEST(lu_op, swaps_the_largest_element_up) {
  const Tensors found = computed(Lu{}, {f64({2, 2}, {2, 3, 4, 8})});
  EXPECT_EQ(found[0], f64({2, 2}, {4, 8, 0.5, -1}));
  EXPECT_EQ(found[1], i32({2}, {1, 1}));
  EXPECT_EQ(found[2], i32({2}, {1, 0}));
}

TEST(lu_op, takes_matrices_that_are_not_square) {
  const Tensors high = computed(Lu{}, {f64({3, 1}, {1, 2, 4})}),
                wide = computed(Lu{}, {f64({1, 3}, {1, 2, 4})});
  EXPECT_EQ(high[0], f64({3, 1}, {4, 0.5, 0.25}));
  EXPECT_EQ(high[1], i32({1}, {2}));
  EXPECT_EQ(high[2], i32({3}, {2, 1, 0}));
  EXPECT_EQ(wide[0], f64({1, 3}, {1, 2, 4}));
}

TEST(lu_op, leaves_zeros_on_the_diagonal_of_a_singular_matrix) {
  EXPECT_EQ(computed(Lu{}, {f64({2, 2}, {1, 2, 1, 2})})[0], f64({2, 2}, {1, 2, 1, 0}));
}

TEST(lu_op, of_nothing_swaps_nothing) {
  const Tensors found = computed(Lu{}, {f64({2, 3, 0}, {})});
  EXPECT_EQ(found[1], i32({2, 0}, {}));
  EXPECT_EQ(found[2], i32({2, 3}, {0, 1, 2, 0, 1, 2}));
}

TEST(lu_op, rejects_other_dtypes_c1_and_what_is_no_matrix_c2) {
  EXPECT_NE(refusal_of(Lu{}, {Type(DType::i32, {2, 2})}).find("(lu_c1)"), std::string::npos);
  EXPECT_NE(refusal_of(Lu{}, {Type(DType::f32, {2})}).find("(lu_c2)"), std::string::npos);
}

}  // namespace
}  // namespace tutti
