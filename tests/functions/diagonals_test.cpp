// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/diagonals.hpp"

#include <gtest/gtest.h>

#include "tests/functions/made.hpp"

namespace tutti {
namespace {

const Tensor matrix = counted_i32({2, 3});
const Type f32_matrix(DType::f32, {2, 3}), row(DType::f32, {4});

Tensor of_nothing(const std::function<Array()>& function) {
  return made({}, [&](const Arrays&) { return function(); });
}

TEST(eye, has_ones_on_a_diagonal) {
  EXPECT_EQ(of_nothing([] { return eye(2, DType::i32); }), numbers({2, 2}, {1, 0, 0, 1}));
  EXPECT_EQ(of_nothing([] { return eye(2, DType::i32, {.columns = 4, .k = 1}); }),
            numbers({2, 4}, {0, 1, 0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(of_nothing([] { return eye(3, DType::f32, {.columns = 2, .k = -1}); }),
            Tensor(Shape{3, 2}, {0.F, 0.F, 1.F, 0.F, 0.F, 1.F}));
  EXPECT_EQ(of_nothing([] { return eye(2, DType::boolean); }),
            Tensor(Shape{2, 2}, std::vector<bool>{true, false, false, true}));
}

TEST(eye, beyond_the_corners_has_none) {
  for (int k : {2, -2, 2147483647, -2147483647 - 1})
    EXPECT_EQ(of_nothing([k] { return eye(2, DType::i32, {.k = k}); }), numbers({2, 2}, {0, 0, 0, 0})) << k;
  EXPECT_EQ(of_nothing([] { return eye(0, DType::i32); }), numbers({0, 0}, {}));
  EXPECT_EQ(of_nothing([] { return eye(0, DType::i32, {.columns = 3}); }), numbers({0, 3}, {}));
}

TEST(eye, refuses_a_negative_size) {
  EXPECT_EQ(refused({}, [](const Arrays&) { return eye(2, DType::f32, {.columns = -1}); }),
            "T005: eye: 2 x -1 elements; a size is at least 0");
}

TEST(tri, has_ones_on_and_below_a_diagonal) {
  EXPECT_EQ(of_nothing([] { return tri(2, DType::i32, {.columns = 3}); }),
            numbers({2, 3}, {1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(of_nothing([] { return tri(2, DType::i32, {.k = -1}); }), numbers({2, 2}, {0, 0, 1, 0}));
  EXPECT_EQ(of_nothing([] { return tri(2, DType::i32, {.k = 2147483647}); }), numbers({2, 2}, {1, 1, 1, 1}));
  EXPECT_EQ(of_nothing([] { return tri(2, DType::i32, {.k = -9}); }), numbers({2, 2}, {0, 0, 0, 0}));
}

TEST(tri, refuses_a_negative_size) {
  EXPECT_EQ(refused({}, [](const Arrays&) { return tri(-3, DType::f32); }),
            "T005: tri: -3 x -3 elements; a size is at least 0");
}

TEST(triangles, keep_one_side_of_a_diagonal) {
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return tril(x[0]); }), numbers({2, 3}, {1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return tril(x[0], 1); }),
            numbers({2, 3}, {1, 2, 0, 4, 5, 6}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return triu(x[0]); }), numbers({2, 3}, {1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return triu(x[0], -1); }), matrix);
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return triu(x[0], -2147483647 - 1); }), matrix);
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return triu(x[0], 2147483647); }),
            numbers({2, 3}, {0, 0, 0, 0, 0, 0}));
}

TEST(triangles, are_those_of_the_last_two_dims) {
  EXPECT_EQ(made({counted_i32({2, 2, 2})}, [](const Arrays& x) { return triu(x[0]); }),
            numbers({2, 2, 2}, {1, 2, 0, 4, 5, 6, 0, 8}));
  EXPECT_EQ(made({counted_i32({0, 2})}, [](const Arrays& x) { return tril(x[0]); }), numbers({0, 2}, {}));
}

TEST(triangles, leave_nan_and_minus_zero_as_they_are) {
  const Tensor x(Shape{2, 2}, {-0.0F, std::numeric_limits<float>::quiet_NaN(), 1.F, -0.0F});
  EXPECT_EQ(made({x}, [](const Arrays& a) { return tril(a[0]); }),
            Tensor(Shape{2, 2}, {-0.0F, 0.F, 1.F, -0.0F}));
}

TEST(triangles, of_an_unreduced_sum_are_one) {
  Axis a = example_mesh().axes()[0];
  Type sum = f32_matrix.with(a, unreduced);
  Program program =
      trace({sum}, [](const Arrays& x) { return Arrays{tril(x[0]), triu(x[0]), diag(x[0])}; }).program;
  EXPECT_EQ(program.types_of(program.outputs), (Types{sum, sum, sum.with(Shape{2})}));
}

TEST(triangles, refuse_vectors) {
  EXPECT_EQ(
      refused({row}, [](const Arrays& x) { return tril(x[0]); }),
      "T005: tril: f32[4] has 1 dim; a matrix has 2 at least. A vector becomes one by diag or expand_dims");
  EXPECT_EQ(refused({row}, [](const Arrays& x) { return triu(x[0]); }).substr(0, 24),
            "T005: triu: f32[4] has 1");
}

TEST(diag, of_a_vector_is_a_matrix) {
  const Tensor x = counted_i32({2});
  EXPECT_EQ(made({x}, [](const Arrays& a) { return diag(a[0]); }), numbers({2, 2}, {1, 0, 0, 2}));
  EXPECT_EQ(made({x}, [](const Arrays& a) { return diag(a[0], 1); }),
            numbers({3, 3}, {0, 1, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(made({x}, [](const Arrays& a) { return diag(a[0], -1); }),
            numbers({3, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0}));
  EXPECT_EQ(made({counted_i32({1})}, [](const Arrays& a) { return diag(a[0]); }), numbers({1, 1}, {1}));
}

TEST(diag, of_no_elements_is_zero) {
  EXPECT_EQ(made({counted_i32({0})}, [](const Arrays& a) { return diag(a[0], 1); }), numbers({1, 1}, {0}));
  EXPECT_EQ(made({counted_i32({0})}, [](const Arrays& a) { return diag(a[0], -1); }), numbers({1, 1}, {0}));
  EXPECT_EQ(made({counted_i32({0})}, [](const Arrays& a) { return diag(a[0]); }), numbers({0, 0}, {}));
}

TEST(diag, of_a_matrix_is_its_diagonal) {
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return diag(x[0]); }), numbers({2}, {1, 5}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return diag(x[0], 1); }), numbers({2}, {2, 6}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return diag(x[0], 2); }), numbers({1}, {3}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return diag(x[0], -1); }), numbers({1}, {4}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return diag(x[0], 3); }), numbers({0}, {}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return diag(x[0], -9); }), numbers({0}, {}));
  EXPECT_EQ(made({counted_i32({0, 3})}, [](const Arrays& x) { return diag(x[0], 1); }), numbers({0}, {}));
}

TEST(diag, takes_a_slice_not_a_gather) {
  EXPECT_EQ(program_text({f32_matrix}, [](const Arrays& x) { return diag(x[0]); }),
            "program(%0: f32[2,3]) {\n"
            "  %1: f32[6] = reshape{to=[6]} %0\n"
            "  %2: f32[2] = slice{start=[0], limit=[5], stride=[4]} %1\n"
            "  return %2\n}\n");
}

TEST(diag, refuses_other_ranks) {
  EXPECT_EQ(refused({Type(DType::f32, {})}, [](const Arrays& x) { return diag(x[0]); }),
            "T005: diag: f32[] has 0 dims; diag takes a vector or a matrix. Of more dims: diagonal");
  EXPECT_EQ(refused({row}, [](const Arrays& x) { return diag(x[0], 2147483647); }),
            "T005: diag: shape [2147483651,2147483651] has more than 2^58 elements; make its sizes smaller");
}

TEST(diagonal, is_the_last_dim) {
  const Tensor boxes = counted_i32({2, 3, 2});
  EXPECT_EQ(made({boxes}, [](const Arrays& x) { return diagonal(x[0]); }), numbers({2, 2}, {1, 9, 2, 10}));
  EXPECT_EQ(made({boxes}, [](const Arrays& x) { return diagonal(x[0], {.dim1 = 1, .dim2 = -1}); }),
            numbers({2, 2}, {1, 4, 7, 10}));
  EXPECT_EQ(made({boxes}, [](const Arrays& x) { return diagonal(x[0], {.k = -1, .dim1 = 1, .dim2 = 2}); }),
            numbers({2, 2}, {3, 6, 9, 12}));
  EXPECT_EQ(made({boxes}, [](const Arrays& x) { return diagonal(x[0], {.k = 1, .dim1 = 2, .dim2 = 1}); }),
            numbers({2, 2}, {3, 6, 9, 12}));
}

TEST(diagonal, refuses_one_dim) {
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return diagonal(x[0], {.dim1 = 1, .dim2 = -1}); }),
            "T006: diagonal: dim 1 of f32[2,3] is named twice; rows and columns are two dims");
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return diagonal(x[0], {.dim2 = 2}); }),
            "T006: diagonal: dim 2 is out of range for f32[2,3], which has dims -2 to 1");
  EXPECT_EQ(refused({row}, [](const Arrays& x) { return diagonal(x[0]); }).substr(0, 28),
            "T005: diagonal: f32[4] has 1");
}

TEST(trace_of_a_matrix, is_the_sum_of_a_diagonal) {
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return trace(x[0]); }), numbers({}, {6}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return trace(x[0], {.k = 1}); }), numbers({}, {8}));
  EXPECT_EQ(made({counted_i32({2, 2, 2})}, [](const Arrays& x) { return trace(x[0]); }),
            numbers({2}, {8, 10}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return trace(x[0], {.k = 5}); }), numbers({}, {0}));
  EXPECT_EQ(refused({row}, [](const Arrays& x) { return trace(x[0]); }).substr(0, 25),
            "T005: trace: f32[4] has 1");
}

}  // namespace
}  // namespace tutti
