// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/products/einsum.hpp"

#include <gtest/gtest.h>

#include "tests/functions/made.hpp"
#include "tutti/ops/binary.hpp"

namespace tutti {
namespace {

const Tensor matrix = counted_i32({2, 3}), square = counted_i32({2, 2}), row = counted_i32({3});

Tensor summed(const char* subscripts, const Tensors& operands) {
  return made(operands, [&](const Arrays& x) { return einsum(subscripts, x); });
}

Types f32(const std::vector<Shape>& shapes) {
  Types types;
  for (const Shape& shape : shapes) types.emplace_back(DType::f32, shape);
  return types;
}
std::string refused_einsum(const char* subscripts, const std::vector<Shape>& shapes) {
  return refused(f32(shapes), [&](const Arrays& x) { return einsum(subscripts, x); });
}
int number_of(std::string_view op, const char* subscripts, const std::vector<Shape>& shapes) {
  return equations(f32(shapes), op, [&](const Arrays& x) { return einsum(subscripts, x); });
}

TEST(einsum, multiplies_matrices) {
  EXPECT_EQ(summed("ij,jk->ik", {matrix, counted_i32({3, 2})}), numbers({2, 2}, {22, 28, 49, 64}));
  EXPECT_EQ(summed("ij,j->i", {matrix, row}), numbers({2}, {14, 32}));
  EXPECT_EQ(summed("ij,ij->", {matrix, matrix}), numbers({}, {91}));
  EXPECT_EQ(summed("ij,kj->ki", {matrix, matrix}), numbers({2, 2}, {14, 32, 32, 77}));
}

TEST(einsum, of_one_operand_moves_and_sums) {
  EXPECT_EQ(summed("ij->ji", {matrix}), numbers({3, 2}, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(summed("ij->j", {matrix}), numbers({3}, {5, 7, 9}));
  EXPECT_EQ(summed("ij->", {matrix}), numbers({}, {21}));
  EXPECT_EQ(summed("->", {counted_i32({})}), numbers({}, {1}));
}

TEST(einsum, of_a_label_twice_is_the_diagonal) {
  EXPECT_EQ(summed("ii->i", {square}), numbers({2}, {1, 4}));
  EXPECT_EQ(summed("ii", {square}), numbers({}, {5}));
  EXPECT_EQ(summed("iii->i", {counted_i32({2, 2, 2})}), numbers({2}, {1, 8}));
  EXPECT_EQ(summed("iij->ji", {counted_i32({2, 2, 2})}), numbers({2, 2}, {1, 7, 2, 8}));
  EXPECT_EQ(summed("ijij->ij", {counted_i32({2, 1, 2, 1})}), numbers({2, 1}, {1, 4}));
}

TEST(einsum, without_an_arrow_sorts_the_labels_that_occur_once) {
  EXPECT_EQ(summed("ba", {matrix}), numbers({3, 2}, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(summed("ij,jk", {matrix, counted_i32({3, 2})}), numbers({2, 2}, {22, 28, 49, 64}));
  EXPECT_EQ(summed("aB", {matrix}), numbers({3, 2}, {1, 4, 2, 5, 3, 6}));  // capitals come first
  EXPECT_EQ(summed(" i j , j k -> i k ", {matrix, counted_i32({3, 2})}), numbers({2, 2}, {22, 28, 49, 64}));
}

TEST(einsum, broadcasts_the_dims_of_an_ellipsis) {
  EXPECT_EQ(summed("...ij,...jk", {counted_i32({2, 1, 2}), counted_i32({2, 1})}),
            numbers({2, 1, 1}, {5, 11}));
  EXPECT_EQ(summed("...,i->...i", {counted_i32({2}), counted_i32({2})}), numbers({2, 2}, {1, 2, 2, 4}));
  EXPECT_EQ(summed("i...->...i", {matrix}), numbers({3, 2}, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(summed("...->...", {matrix}), matrix);
  EXPECT_EQ(summed("i...->i", {matrix}), numbers({2}, {6, 15}));
  EXPECT_EQ(summed("...i,...i->...", {counted_i32({2, 1, 2}), counted_i32({3, 2})}),
            numbers({2, 3}, {5, 11, 17, 11, 25, 39}));
}

TEST(einsum, broadcasts_dims_of_size_1) {
  EXPECT_EQ(summed("ij,jk->ik", {counted_i32({2, 1}), counted_i32({3, 1})}), numbers({2, 1}, {6, 12}));
  EXPECT_EQ(summed("i,i->i", {counted_i32({1}), row}), row);
  EXPECT_EQ(summed("i,i->i", {row, counted_i32({1})}), row);
  EXPECT_EQ(summed("i,i->", {counted_i32({1}), counted_i32({1})}), numbers({}, {1}));
}

TEST(einsum, of_many_operands) {
  EXPECT_EQ(summed("i,j,k->ijk", {counted_i32({2}), counted_i32({1}), counted_i32({2})}),
            numbers({2, 1, 2}, {1, 2, 2, 4}));
  EXPECT_EQ(summed("i,i,i,i,i,i,i,i,i,i->i", Tensors(10, counted_i32({2}))), numbers({2}, {1, 1024}));
  EXPECT_EQ(summed("ab,bc,cd,de,ef,fg,gh,hi,ij->aj", Tensors(9, counted_i32({2, 2}))),
            numbers({2, 2}, {890461, 1297782, 1946673, 2837134}));
}

TEST(einsum, of_no_elements) {
  EXPECT_EQ(summed("ij,jk->ik", {counted_i32({2, 0}), counted_i32({0, 2})}), numbers({2, 2}, {0, 0, 0, 0}));
  EXPECT_EQ(summed("ij,jk->ik", {counted_i32({0, 2}), counted_i32({2, 2})}), numbers({0, 2}, {}));
  EXPECT_EQ(summed("ii->i", {counted_i32({0, 0})}), numbers({0}, {}));
  EXPECT_EQ(summed("i,i->i", {counted_i32({1}), counted_i32({0})}), numbers({0}, {}));
}

TEST(einsum, takes_numbers_and_operands_one_by_one) {
  EXPECT_EQ(made({row}, [](const Arrays& x) { return einsum(",i->i", 3, x[0]); }), numbers({3}, {3, 6, 9}));
  EXPECT_EQ(made({row, row}, [](const Arrays& x) { return einsum("i,i", {x[0], x[1]}); }), numbers({}, {14}));
  EXPECT_EQ(made({row}, [](const Arrays& x) { return einsum(std::string("i->"), x[0]); }), numbers({}, {6}));
}

TEST(einsum, of_halves_is_summed_in_f32) {
  const Tensor x = counted(DType::bf16, {3});
  EXPECT_EQ(summed("i,i", {x, x}).at(0), 14);
}

TEST(einsum, carries_the_line_of_the_caller) {
  int line = 0;
  Program program = trace(f32({{2, 2}, {2, 3}, {3}}), [&](const Arrays& x) {
                      line = __LINE__ + 1;
                      return Arrays{einsum("ii,ij,j->j", x[0], x[1], x[2])};
                    }).program;
  for (const Equation& equation : program.equations)
    EXPECT_EQ(equation.where.line, line) << to_string(equation.op);
}

TEST(einsum, of_a_layout_that_dot_general_takes_adds_no_transpose) {
  EXPECT_EQ(program_text(f32({{2, 3, 4}, {2, 4, 5}, {2, 5, 6}}),
                         [](const Arrays& x) { return einsum("bij,bjk,bkl->bil", x); }),
            "program(%0: f32[2,3,4], %1: f32[2,4,5], %2: f32[2,5,6]) {\n"
            "  %3: f32[2,3,5] = dot_general{lhs_batch=[0], rhs_batch=[0], lhs_contract=[2], "
            "rhs_contract=[1]} %0, %1\n"
            "  %4: f32[2,3,6] = dot_general{lhs_batch=[0], rhs_batch=[0], lhs_contract=[2], "
            "rhs_contract=[1]} %3, %2\n"
            "  return %4\n}\n");
  struct Row {
    const char* subscripts;
    std::vector<Shape> shapes;
  };
  const Row rows[] = {{"ij,jk->ik", {{2, 3}, {3, 4}}},
                      {"ij,jk->ki", {{2, 3}, {3, 4}}},  // as kj,ji
                      {"ij,kj->ki", {{2, 3}, {4, 3}}},
                      {"ji,jk->ik", {{3, 2}, {3, 4}}},
                      {"abc,cd,de->abe", {{2, 3, 4}, {4, 5}, {5, 6}}},
                      {"bhqd,bhkd->bhqk", {{2, 3, 4, 5}, {2, 3, 6, 5}}},
                      {"ab,bc,cd->da", {{2, 9}, {9, 3}, {3, 4}}},
                      {"i,j->ji", {{2}, {3}}},
                      {"bi,bj->jbi", {{2, 3}, {2, 4}}}};
  for (const Row& r : rows) EXPECT_EQ(number_of("transpose", r.subscripts, r.shapes), 0) << r.subscripts;
  EXPECT_EQ(number_of("transpose", "bij,bjk->ibk", {{2, 3, 4}, {2, 4, 5}}), 1);
}

TEST(einsum, is_one_product_for_each_pair) {
  EXPECT_EQ(number_of("dot_general", "ab,bc,cd,de->ae", {{2, 3}, {3, 4}, {4, 5}, {5, 6}}), 3);
  EXPECT_EQ(number_of("mul", "i,j,k->ijk", {{2}, {3}, {4}}), 2);
  EXPECT_EQ(number_of("dot_general", "i,j,k->ijk", {{2}, {3}, {4}}), 0);
  EXPECT_EQ(number_of("reduce_sum", "ij,jk->k", {{2, 3}, {3, 4}}), 1);  // i is summed before the product
  EXPECT_EQ(number_of("gather", "ii->i", {{3, 3}}), 0);
}

TEST(einsum, is_typed_as_bilinear) {
  Axis a = example_mesh().axes()[0];
  Type x(DType::f32, {2, 2});
  Program program = trace({x.with(a, unreduced), x.with(a, reduced), x}, [](const Arrays& y) {
                      return Arrays{einsum("ij,jk,kl->il", y), einsum("ij,jk,kl->ijkl", y)};
                    }).program;
  for (Var output : program.outputs) EXPECT_EQ(program.type(output).at(a), unreduced);
  EXPECT_EQ(refused({x.with(a, unreduced), x.with(a, varying)},
                    [](const Arrays& y) { return einsum("ij,jk->ik", y); })
                .substr(0, 13),
            "T004: einsum:");
}

TEST(einsum, refuses_sizes_that_differ) {
  EXPECT_EQ(refused_einsum("ij,jk->ik", {{2, 3}, {4, 5}}),
            "T005: einsum: 'j' is 3 in operand 0, f32[2,3], and 4 in operand 1, f32[4,5]; dims of one label "
            "are equal, "
            "or 1");
  EXPECT_EQ(refused_einsum("ii->i", {{2, 3}}),
            "T005: einsum: 'i' is 2 and 3 in operand 0, f32[2,3]; a diagonal has equal sizes");
  EXPECT_EQ(refused_einsum("ii->i", {{1, 3}}),
            "T005: einsum: 'i' is 1 and 3 in operand 0, f32[1,3]; a diagonal has equal sizes");
  EXPECT_EQ(refused_einsum("...i,...i", {{2, 3}, {4, 3}}),
            "T005: einsum: dim 1 from the right in '...' is 2 in operand 0, f32[2,3], and 4 in operand 1, "
            "f32[4,3]; "
            "dims of one label are equal, or 1");
  EXPECT_EQ(refused_einsum("i,i,i", {{1}, {0}, {2}}).substr(0, 40),
            "T005: einsum: 'i' is 0 in operand 1, f32");
}

TEST(einsum, refuses_terms_that_do_not_fit_the_operands) {
  EXPECT_EQ(refused_einsum("ij,jk", {{2, 3}}),
            "T005: einsum: 'ij,jk' has 2 terms for 1 operand; write one for each, with ',' between them");
  EXPECT_EQ(refused_einsum("ij", {{2, 3, 4}}), "T005: einsum: 'ij' names 2 dims of operand 0, f32[2,3,4], "
                                               "which has 3; write a letter for each, or '...'");
  EXPECT_EQ(refused_einsum("ijk...", {{2, 3}}), "T005: einsum: 'ijk...' names 3 dims of operand 0, f32[2,3], "
                                                "which has 2; write a letter for each, or '...'");
}

TEST(einsum, refuses_labels_that_are_none) {
  EXPECT_EQ(refused_einsum("i1->i", {{2, 3}}), "T006: einsum: '1' in 'i1' names no dim; write a letter for "
                                               "each, '...' for the others, and ',' and '->'");
  EXPECT_EQ(refused_einsum("i.j", {{2, 3}}).substr(0, 28), "T006: einsum: '.' in 'i.j' n");
  EXPECT_EQ(refused_einsum("ij->i->j", {{2, 3}}).substr(0, 29), "T006: einsum: '-' in 'i->j' n");
  EXPECT_EQ(refused_einsum("...i...", {{2, 3}}),
            "T006: einsum: '...i...' has two '...'; write one for all dims without a letter");
  EXPECT_EQ(refused_einsum("ij->ik", {{2, 3}}),
            "T006: einsum: 'k' of the result is a label of no operand; take it out or name a dim so");
  EXPECT_EQ(refused_einsum("ij->ii", {{2, 3}}),
            "T006: einsum: 'i' stands twice in the result; a diagonal is made by diag");
}

TEST(einsum, refuses_bool_other_dtypes_and_numbers_alone) {
  EXPECT_EQ(
      refused({Type(DType::boolean, {2})}, [](const Arrays& x) { return einsum("i->", x); }),
      "T007: einsum: bool[2] is bool, which has no sum of products; convert it: convert(x, DType::f32)");
  EXPECT_EQ(refused({Type(DType::f32, {2}), Type(DType::f64, {2})},
                    [](const Arrays& x) { return einsum("i,i", x); })
                .substr(0, 13),
            "T007: einsum:");
  EXPECT_EQ(refused({}, [](const Arrays&) { return einsum(",", 1, 2); }),
            "T008: einsum: no operand is an array; compute with numbers in C++");
  EXPECT_EQ(refused({}, [](const Arrays&) { return einsum("", Arrays{}); }),
            "T008: einsum: no operand is an array; compute with numbers in C++");
}

}  // namespace
}  // namespace tutti
