// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/convert.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0];

std::string converted(Type from, DType to) {
  return program_text({from}, [&](const Arrays& x) { return convert(x[0], to); });
}

TEST(convert, changes_the_dtype_only) {
  EXPECT_EQ(converted(Type(DType::f32, {2, 3}, {{a, varying}}), DType::i64),
            "program(%0: f32[2,3]{V:a}) {\n  %1: i64[2,3]{V:a} = convert{to=i64} %0\n  return %1\n}\n");
}

TEST(convert, to_the_same_dtype_is_the_operand) {
  EXPECT_EQ(converted(Type(DType::f32, {3}), DType::f32), "program(%0: f32[3]) {\n  return %0\n}\n");
}

TEST(convert, to_the_same_dtype_as_an_op_is_a_view) {
  EXPECT_TRUE(std::holds_alternative<kernel::View>(kernel_of(Convert{DType::f32}, {Type(DType::f32, {3})})));
}

TEST(convert, of_float_to_float_takes_an_unreduced_sum) {
  EXPECT_EQ(converted(Type(DType::f32, {3}, {{a, unreduced}}), DType::f64),
            "program(%0: f32[3]{U:a}) {\n  %1: f64[3]{U:a} = convert{to=f64} %0\n  return %1\n}\n");
}

TEST(convert, of_float_to_integer_rejects_an_unreduced_sum) {
  EXPECT_EQ(refusal_of([] { converted(Type(DType::f32, {3}, {{a, unreduced}}), DType::i32); }),
            "T004: convert: the operand is an unreduced sum over 'a' (f32[3]{U:a}), which only linear "
            "functions take. "
            "Reduce first: psum(x, \"a\")");
}

TEST(convert, of_integer_to_float_rejects_an_unreduced_sum) {
  EXPECT_EQ(refusal_of([] { converted(Type(DType::i32, {3}, {{a, unreduced}}), DType::f32); }),
            "T004: convert: the operand is an unreduced sum over 'a' (i32[3]{U:a}), which only linear "
            "functions take. "
            "Reduce first: psum(x, \"a\")");
}

TEST(convert, of_float_to_float_has_a_tangent_that_is_converted_and_back_a_cotangent) {
  Builder builder;
  Type f32(DType::f32, {3}, {{a, reduced}}), f64 = f32.with(DType::f64);
  Jvp derived = Convert{DType::f64}.jvp({builder.input(f32)}, {builder.input(f32)});
  EXPECT_EQ(derived.tangents[0]->type(), f64);
  Tangents cotangents = Convert{DType::f64}.transpose({{std::nullopt, f32}}, {builder.input(dual(f64))});
  EXPECT_EQ(cotangents[0]->type(), dual(f32));
}

TEST(convert, of_float_to_integer_has_no_tangent) {
  Builder builder;
  Array x = builder.input(Type(DType::f32, {3}));
  EXPECT_FALSE(Convert{DType::i32}.jvp({x}, {x}).tangents[0]);
}

TEST(convert, types_its_rules) { EXPECT_EQ(mistyped_rules(Convert::examples()), std::vector<std::string>{}); }

}  // namespace
}  // namespace tutti
