// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/split.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/transform/jvp.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {3});

// The derivative of exp(x) * y, cut by its tangents.
SplitProgram halves_of(const std::function<Array(const Arrays&)>& function) {
  Program program = trace({row, row}, [&](const Arrays& x) { return Arrays{function(x)}; }).program;
  return split(jvp(program, {true, true}).program, {false, false, true, true});
}

TEST(split, computes_all_that_is_known_and_hands_over_once_what_the_rest_needs) {
  SplitProgram halves = halves_of([](const Arrays& x) { return exp(x[0]) * x[1]; });
  EXPECT_EQ(text_of(halves.known), "program(%0: f32[3], %1: f32[3]) {\n"
                                   "  %2: f32[3] = exp %0\n"
                                   "  %3: f32[3] = mul %2, %1\n"
                                   "  return %3, %2, %1\n"
                                   "}\n");
  EXPECT_EQ(text_of(halves.linear), "program(%0: f32[3], %1: f32[3], %2: f32[3], %3: f32[3]) {\n"
                                    "  %4: f32[3] = mul %0, %2\n"
                                    "  %5: f32[3] = mul %4, %1\n"
                                    "  %6: f32[3] = mul %0, %3\n"
                                    "  %7: f32[3] = add %5, %6\n"
                                    "  return %7\n"
                                    "}\n");
  EXPECT_EQ(halves.linear_outputs, (Bits{false, true}));
}

}  // namespace
}  // namespace tutti
