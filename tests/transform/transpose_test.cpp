// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/transpose.hpp"
#include "tutti/transform/vjp.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {3}), whole(DType::i32, {3});
const Axis& axis_a() { return example_mesh().axes()[0]; }

Program traced(const Types& types, const std::function<Arrays(const Arrays&)>& function) {
  return trace(types, function).program;
}

TEST(transpose, takes_known_inputs_then_cotangents) {
  Program program = traced({row, row}, [](const Arrays& x) { return Arrays{x[0] * x[1]}; });
  EXPECT_EQ(text_of(transpose(program, {false, true})), "program(%0: f32[3], %1: f32[3]) {\n"
                                                        "  %2: f32[3] = mul %0, %1\n"
                                                        "  return %2\n"
                                                        "}\n");
}

TEST(transpose, adds_the_cotangents_of_what_is_used_twice) {
  Program program = traced({row}, [](const Arrays& x) { return Arrays{x[0] - (-x[0])}; });
  EXPECT_EQ(text_of(transpose(program, {true})), "program(%0: f32[3]) {\n"
                                                 "  %1: f32[3] = neg %0\n"
                                                 "  %2: f32[3] = neg %1\n"
                                                 "  %3: f32[3] = add %0, %2\n"
                                                 "  return %3\n"
                                                 "}\n");
}

TEST(transpose, turns_a_sum_over_devices_into_a_free_cast) {
  Program program = traced({row.with(axis_a(), varying)},
                           [](const Arrays& x) { return Arrays{all_reduce(x[0], {axis_a()})}; });
  EXPECT_EQ(text_of(transpose(program, {true})), "program(%0: f32[3]) {\n"
                                                 "  %1: f32[3]{V:a} = cast{axes='a', from=I, to=V} %0\n"
                                                 "  return %1\n"
                                                 "}\n");
}

TEST(transpose, gives_zeros_for_inputs_that_nothing_depends_on) {
  Program program = traced({row, row.with(axis_a(), reduced)}, [](const Arrays& x) { return Arrays{x[0]}; });
  Program transposed = transpose(program, {true, true});
  check(transposed);
  EXPECT_EQ(transposed.type(transposed.outputs[1]), row.with(axis_a(), unreduced));
}

TEST(transpose, refuses_what_is_not_linear_at_its_line) {
  Program program = traced({row}, [](const Arrays& x) { return Arrays{exp(x[0])}; });
  try {
    transpose(program, {true});
    ADD_FAILURE() << "transposed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::refused_rule);
    EXPECT_EQ(error.where().line, program.equations[0].where.line);
  }
}

TEST(vjp, computes_the_value_then_the_cotangents) {
  Program program = traced({row.with(axis_a(), varying), row}, [](const Arrays& x) {
    return Arrays{all_reduce(reduce_sum(x[0] * x[1]), {axis_a()})};
  });
  EXPECT_EQ(text_of(vjp(program, {false, true})), "program(%0: f32[3]{V:a}, %1: f32[3], %6: f32[]) {\n"
                                                  "  %2: f32[3]{V:a} = cast{axes='a', from=I, to=V} %1\n"
                                                  "  %3: f32[3]{V:a} = mul %0, %2\n"
                                                  "  %4: f32[]{V:a} = reduce_sum{dims=[0]} %3\n"
                                                  "  %5: f32[] = all_reduce{kind=sum, axes='a'} %4\n"
                                                  "  %7: f32[]{V:a} = cast{axes='a', from=I, to=V} %6\n"
                                                  "  %8: f32[3]{V:a} = broadcast_in_dim{to=[3], dims=[]} %7\n"
                                                  "  %9: f32[3]{V:a} = mul %0, %8\n"
                                                  "  %10: f32[3] = all_reduce{kind=sum, axes='a'} %9\n"
                                                  "  return %5, %10\n"
                                                  "}\n");
}

TEST(vjp, says_at_which_line_the_all_reduce_of_a_gradient_began) {
  int line = 0;
  Program program = traced({row.with(axis_a(), varying), row}, [&](const Arrays& x) {
    line = __LINE__ + 1;
    Array sum = x[0] + x[1];
    return Arrays{all_reduce(reduce_sum(sum), {axis_a()})};
  });
  Program gradient = vjp(program, {false, true});
  const Equation& last = gradient.equations.back();
  EXPECT_EQ(last.op->name(), "all_reduce");
  EXPECT_EQ(last.where.line, line);
}

TEST(vjp, has_no_cotangent_for_outputs_of_integers) {
  Program program = traced({row, whole}, [](const Arrays& x) { return Arrays{x[0] * 2, x[1] + 1}; });
  Program gradient = vjp(program, {true, false});
  check(gradient);
  EXPECT_EQ(gradient.inputs.size(), 2U + 1U);
  EXPECT_EQ(gradient.outputs.size(), 2U + 1U);
}

}  // namespace
}  // namespace tutti
