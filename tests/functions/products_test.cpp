// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/products/products.hpp"

#include <gtest/gtest.h>

#include "tests/functions/made.hpp"

namespace tutti {
namespace {

const Tensor matrix = counted_i32({2, 3}), row = counted_i32({2});
const Type f32_matrix(DType::f32, {2, 3}), f32_row(DType::f32, {2}), f32_scalar(DType::f32, {});

Tensor of_two(const Tensor& a, const Tensor& b, Array (*function)(const Operand&, const Operand&)) {
  return made({a, b}, [function](const Arrays& x) { return function(x[0], x[1]); });
}
std::string refused_of_two(const Type& a, const Type& b, Array (*function)(const Operand&, const Operand&)) {
  return refused({a, b}, [function](const Arrays& x) { return function(x[0], x[1]); });
}

TEST(tensordot, sums_over_the_last_dims_and_the_first) {
  const Tensor other = counted_i32({3, 2});
  EXPECT_EQ(made({matrix, other}, [](const Arrays& x) { return tensordot(x[0], x[1], 1); }),
            numbers({2, 2}, {22, 28, 49, 64}));
  EXPECT_EQ(made({matrix, matrix}, [](const Arrays& x) { return tensordot(x[0], x[1]); }), numbers({}, {91}));
  EXPECT_EQ(made({row, row}, [](const Arrays& x) { return tensordot(x[0], x[1], 0); }),
            numbers({2, 2}, {1, 2, 2, 4}));
}

TEST(tensordot, sums_over_pairs_of_dims) {
  EXPECT_EQ(made({matrix, counted_i32({3, 2})},
                 [](const Arrays& x) { return tensordot(x[0], x[1], {{1, 0}, {0, 1}}); }),
            numbers({}, {1 * 1 + 2 * 3 + 3 * 5 + 4 * 2 + 5 * 4 + 6 * 6}));
  EXPECT_EQ(made({matrix, matrix}, [](const Arrays& x) { return tensordot(x[0], x[1], {{0}, {-2}}); }),
            numbers({3, 3}, {17, 22, 27, 22, 29, 36, 27, 36, 45}));
  EXPECT_EQ(made({row, row}, [](const Arrays& x) { return tensordot(x[0], x[1], TensordotDims{}); }),
            numbers({2, 2}, {1, 2, 2, 4}));
}

TEST(tensordot, over_no_elements_is_zero) {
  EXPECT_EQ(made({counted_i32({2, 0}), counted_i32({0, 1})},
                 [](const Arrays& x) { return tensordot(x[0], x[1], 1); }),
            numbers({2, 1}, {0, 0}));
}

TEST(tensordot, refuses_dims_that_do_not_fit) {
  EXPECT_EQ(refused({f32_matrix, f32_row}, [](const Arrays& x) { return tensordot(x[0], x[1]); }),
            "T006: tensordot: 2 dims of f32[2,3] and f32[2] to sum over; they have 0 to 1 together");
  EXPECT_EQ(
      refused({f32_matrix, f32_row}, [](const Arrays& x) { return tensordot(x[0], x[1], 1); }).substr(0, 63),
      "T005: tensordot: contracted dim 1 of f32[2,3] has size 3, its p");
  EXPECT_EQ(refused({f32_matrix, f32_row},
                    [](const Arrays& x) { return tensordot(x[0], x[1], {{0, 1}, {0}}); })
                .substr(0, 53),
            "T006: tensordot: 2 contracted dims of f32[2,3] and 1 ");
  EXPECT_EQ(refused({f32_matrix, f32_row}, [](const Arrays& x) { return tensordot(x[0], x[1], {{2}, {0}}); }),
            "T006: tensordot: dim 2 is out of range for f32[2,3], which has dims -2 to 1");
  EXPECT_EQ(refused({f32_matrix, Type(DType::f64, {3})},
                    [](const Arrays& x) { return tensordot(x[0], x[1], 1); })
                .substr(0, 16),
            "T007: tensordot:");
}

TEST(inner, sums_over_the_last_dims) {
  EXPECT_EQ(of_two(matrix, counted_i32({3}), inner), numbers({2}, {14, 32}));
  EXPECT_EQ(of_two(matrix, matrix, inner), numbers({2, 2}, {14, 32, 32, 77}));
  EXPECT_EQ(of_two(row, row, inner), numbers({}, {5}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return inner(2, x[0]); }),
            numbers({2, 3}, {2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(refused_of_two(f32_matrix, f32_row, inner).substr(0, 40),
            "T005: inner: contracted dim 1 of f32[2,3");
}

TEST(outer, multiplies_all_by_all) {
  EXPECT_EQ(of_two(row, counted_i32({3}), outer), numbers({2, 3}, {1, 2, 3, 2, 4, 6}));
  EXPECT_EQ(of_two(counted_i32({1, 2}), counted_i32({}), outer), numbers({2, 1}, {1, 2}));
  EXPECT_EQ(of_two(counted_i32({0}), row, outer), numbers({0, 2}, {}));
  EXPECT_EQ(refused_of_two(f32_row, Type(DType::i32, {2}), outer).substr(0, 12), "T007: outer:");
}

TEST(vdot, conjugates_the_first) {
  using C = std::complex<float>;
  const Tensor a(Shape{2}, std::vector<C>{{1, 2}, {0, 1}}), b(Shape{2}, std::vector<C>{{3, 1}, {2, 0}});
  EXPECT_EQ(of_two(a, b, vdot), Tensor::scalar(C(5, -7)));
  EXPECT_EQ(of_two(matrix, counted_i32({3, 2}), vdot), numbers({}, {91}));
  EXPECT_EQ(of_two(counted_i32({0}), counted_i32({0}), vdot), numbers({}, {0}));
  EXPECT_EQ(refused_of_two(f32_matrix, f32_row, vdot),
            "T005: vdot: f32[2,3] has 6 elements, f32[2] has 2; both must be as many");
}

TEST(kron, lays_blocks) {
  const Tensor square = counted_i32({2, 2});
  EXPECT_EQ(of_two(square, square, kron),
            numbers({4, 4}, {1, 2, 2, 4, 3, 4, 6, 8, 3, 6, 4, 8, 9, 12, 12, 16}));
  EXPECT_EQ(of_two(row, square, kron), numbers({2, 4}, {1, 2, 2, 4, 3, 4, 6, 8}));
  EXPECT_EQ(of_two(square, row, kron), numbers({2, 4}, {1, 2, 2, 4, 3, 6, 4, 8}));
  EXPECT_EQ(of_two(counted_i32({}), row, kron), row);
  EXPECT_EQ(of_two(counted_i32({0}), row, kron), numbers({0}, {}));
  EXPECT_EQ(refused_of_two(f32_row, Type(DType::i32, {2}), kron).substr(0, 11), "T007: kron:");
}

TEST(products_of_two, are_typed_as_bilinear) {
  Axis a = example_mesh().axes()[0];
  auto states = [&](Array (*function)(const Operand&, const Operand&)) {
    Program program = trace({f32_row.with(a, unreduced), f32_row.with(a, reduced)}, [&](const Arrays& x) {
                        return Arrays{function(x[0], x[1])};
                      }).program;
    return program.type(program.outputs[0]).at(a);
  };
  for (auto* function : {inner, outer, vdot, kron}) EXPECT_EQ(states(function), unreduced);
  EXPECT_EQ(refused_of_two(f32_row.with(a, unreduced), f32_row.with(a, unreduced), inner).substr(0, 12),
            "T004: inner:");
}

}  // namespace
}  // namespace tutti
