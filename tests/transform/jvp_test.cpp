// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/jvp.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {3}), whole(DType::i32, {3});

Program product() {
  return trace({row, row}, [](const Arrays& x) { return Arrays{x[0] * x[1]}; }).program;
}

TEST(jvp, returns_results_then_tangents) {
  EXPECT_EQ(text_of(jvp(product(), {true, true}).program),
            "program(%0: f32[3], %1: f32[3], %2: f32[3], %3: f32[3]) {\n"
            "  %4: f32[3] = mul %0, %1\n"
            "  %5: f32[3] = mul %2, %1\n"
            "  %6: f32[3] = mul %0, %3\n"
            "  %7: f32[3] = add %5, %6\n"
            "  return %4, %7\n"
            "}\n");
}

TEST(jvp, computes_nothing_for_inputs_that_stand_still) {
  EXPECT_EQ(text_of(jvp(product(), {false, true}).program), "program(%0: f32[3], %1: f32[3], %2: f32[3]) {\n"
                                                            "  %3: f32[3] = mul %0, %1\n"
                                                            "  %4: f32[3] = mul %0, %2\n"
                                                            "  return %3, %4\n"
                                                            "}\n");
}

TEST(jvp, says_which_outputs_move) {
  Program program = trace({row, row}, [](const Arrays& x) {
                      return Arrays{x[0] + 1, stop_gradient(x[0]), x[1], convert(x[0], DType::i32)};
                    }).program;
  EXPECT_EQ(jvp(program, {true, false}).nonzero, (Bits{true, false, false, false}));
}

TEST(jvp, makes_zeros_where_they_are_asked_for) {
  Program program =
      trace({row, whole}, [](const Arrays& x) { return Arrays{stop_gradient(x[0]), x[1]}; }).program;
  JvpProgram derived = jvp(program, {true, false}, {true, true});
  EXPECT_EQ(derived.nonzero, (Bits{true, false}));  // integers have no tangent
  EXPECT_EQ(text_of(derived.program), "program(%0: f32[3], %1: i32[3], %2: f32[3]) {\n"
                                      "  %3: f32[3] = stop_gradient %0\n"
                                      "  %4: f32[3] = zero_tangent\n"
                                      "  return %3, %1, %4\n"
                                      "}\n");
}

TEST(jvp, carries_the_line_of_what_is_derived) {
  Program program = trace({row}, [](const Arrays& x) { return Arrays{tanh(x[0])}; }).program;
  for (const Equation& equation : jvp(program, {true}).program.equations)
    EXPECT_EQ(equation.where.line, program.equations[0].where.line) << equation.op->name();
}

TEST(jvp, takes_zeros_of_an_earlier_derivative_as_values) {
  Program program = trace({row}, [](const Arrays& x) { return Arrays{stop_gradient(x[0]) * x[0]}; }).program;
  Program once = jvp(program, {true}, {true}).program;
  Program twice = jvp(once, {true, true}, {true, true}).program;
  check(twice);
  EXPECT_EQ(twice.outputs.size(), 4U);
}

TEST(jvp, of_a_zero_of_an_earlier_derivative_has_no_tangent) {
  Program program = trace({row}, [](const Arrays& x) { return Arrays{stop_gradient(x[0])}; }).program;
  Program once = jvp(program, {true}, {true}).program;  // the value, and a zero
  EXPECT_EQ(jvp(once, {true, true}).nonzero, (Bits{false, false}));
}

}  // namespace
}  // namespace tutti
