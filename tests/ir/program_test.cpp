// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/program.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

const Type f32(DType::f32, {4});

// %2 = add %0 %1; %3 = neg %2
Program example() {
  return {{f32, f32, f32, f32},
          {0, 1},
          {{Binary{BinaryFn::add}, {0, 1}, {2}, {"models/model.cpp", 7}},
           {Unary{UnaryFn::neg}, {2}, {3}, {}}},
          {3, 0}};
}

TEST(program, prints_an_equation_a_line_with_types_and_places) {
  EXPECT_EQ(to_string(example()),
            "program(%0: f32[4], %1: f32[4]) {\n"
            "  %2: f32[4] = add %0, %1                                                   // model.cpp:7\n"
            "  %3: f32[4] = neg %2\n"
            "  return %3, %0\n"
            "}\n");
}

TEST(program, without_anything_prints_its_frame) {
  EXPECT_EQ(to_string(Program{}), "program() {\n  return \n}\n");
}

TEST(program, equals_another_wherever_its_equations_stand) {
  Program moved = example();
  moved.equations[0].where = {"other.cpp", 1};
  EXPECT_EQ(moved, example());
  moved.equations[1].op = Unary{UnaryFn::exp};
  EXPECT_NE(moved, example());
}

TEST(checker, accepts_what_the_ops_infer) { EXPECT_NO_THROW(check(example())); }

TEST(checker, finds_a_wrong_type) {
  Program wrong = example();
  wrong.types[2] = Type(DType::f32, {5});
  EXPECT_EQ(refusal_of([&] { check(wrong); }), "I001: checker: add infers f32[4], the program says f32[5]");
}

TEST(checker, finds_a_wrong_state) {
  Program wrong = example();
  wrong.types[2] = wrong.types[2].with(fresh_axis("lanes", 2), State::varying);
  EXPECT_EQ(refusal_of([&] { check(wrong); }),
            "I001: checker: add infers f32[4], the program says f32[4]{V:lanes}");
}

TEST(checker, finds_a_wrong_number_of_results) {
  Program wrong = example();
  wrong.equations[0].results = {};
  EXPECT_EQ(refusal_of([&] { check(wrong); }), "I001: checker: add has 1 result, the program says 0");
}

TEST(checker, finds_a_variable_that_is_used_before_it_is_assigned) {
  Program wrong = example();
  std::swap(wrong.equations[0], wrong.equations[1]);
  EXPECT_EQ(refusal_of([&] { check(wrong); }), "I001: checker: %2 is used before it is assigned");
  wrong = example();
  wrong.equations.pop_back();
  EXPECT_EQ(refusal_of([&] { check(wrong); }), "I001: checker: %3 is used before it is assigned");
}

TEST(checker, finds_operands_that_the_op_refuses) {
  Program wrong = example();
  wrong.types[1] = Type(DType::f32, {5});
  EXPECT_EQ(refusal_of([&] { check(wrong); }),
            "T005: f32[4] and f32[5] have different shapes; use broadcast_in_dim first");
}

}  // namespace
}  // namespace tutti
