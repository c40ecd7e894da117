// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/reduce_precision.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

Tensor row(const std::vector<float>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
Tensor rounded(int exponent_bits, int mantissa_bits, const std::vector<float>& values) {
  return computed(ReducePrecision{exponent_bits, mantissa_bits}, {row(values)})[0];
}

TEST(reduce_precision, rounds_to_nearest_and_ties_to_even) {
  EXPECT_EQ(rounded(8, 2, {1.125F, 1.375F, 1.126F, -1.374F, 1.9F}), row({1, 1.5F, 1.25F, -1.25F, 2}));
}

TEST(reduce_precision, makes_large_numbers_infinite_by_their_rounded_value) {
  EXPECT_EQ(rounded(5, 2, {57344, 61439, 61440, -65504, infinity}),
            row({57344, 57344, infinity, -infinity, infinity}));
  EXPECT_EQ(rounded(8, 22, {std::numeric_limits<float>::max()}), row({infinity}));
}

TEST(reduce_precision, makes_numbers_below_the_smallest_normal_one_zero_and_keeps_the_sign) {
  const Tensor found = rounded(5, 10, {0x1p-14F, 0x1.ffcp-15F, 0x1.fffp-15F, -0x1p-15F, -0.0F});
  EXPECT_EQ(found, row({0x1p-14F, 0, 0x1p-14F, -0.0F, -0.0F}));
  EXPECT_TRUE(std::signbit(found.at(3)));
}

TEST(reduce_precision, keeps_every_bit_of_a_nan) {
  const float nan = std::bit_cast<float>(0x7F812345U);
  const Tensor found = rounded(5, 2, {nan});
  EXPECT_EQ(std::bit_cast<std::uint32_t>(found.as<float>()[0]), 0x7F812345U);
}

TEST(reduce_precision, to_more_bits_than_there_are_changes_nothing) {
  const float smallest = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(rounded(11, 60, {smallest, 0.1F}), row({smallest, 0.1F}));
}

TEST(reduce_precision, of_one_bit_of_exponent_has_zero_and_infinity) {
  EXPECT_EQ(rounded(1, 0, {1, 1.4F, 1.6F, -3}), row({0, 0, infinity, -infinity}));
}

TEST(reduce_precision, rounds_tangents_and_cotangents_too) {
  const auto tangent = [](const Arrays& x) { return *ReducePrecision{8, 2}.jvp({x[0]}, {x[1]}).tangents[0]; };
  EXPECT_EQ(computed_by(tangent, {row({1}), row({1.126F})}), row({1.25F}));
  const auto cotangent = [](const Arrays& x) {
    return *ReducePrecision{8, 2}.transpose({{std::nullopt, x[0].type()}}, {x[0]})[0];
  };
  EXPECT_EQ(computed_by(cotangent, {row({1.126F})}), row({1.25F}));
}

TEST(reduce_precision, has_its_bits_in_the_text) {
  EXPECT_EQ(program_text({Type(DType::f32, {2})},
                         [](const Arrays& x) { return reduce_precision(x[0], 8, 7); }),
            "program(%0: f32[2]) {\n"
            "  %1: f32[2] = reduce_precision{exponent_bits=8, mantissa_bits=7} %0\n"
            "  return %1\n}\n");
}

TEST(reduce_precision, rejects_a_format_without_exponent_c2) {
  EXPECT_EQ(refusal_of(ReducePrecision{0, 7}, {Type(DType::f32, {2})}),
            "T005: exponent_bits = 0; it is at least 1 (reduce_precision_c2)");
}

TEST(reduce_precision, rejects_a_negative_mantissa_c3) {
  EXPECT_EQ(refusal_of(ReducePrecision{8, -1}, {Type(DType::f32, {2})}),
            "T005: mantissa_bits = -1; it is at least 0 (reduce_precision_c3)");
}

TEST(reduce_precision, rejects_integers) {
  EXPECT_EQ(
      refusal_of(ReducePrecision{8, 7}, {Type(DType::i32, {2})}),
      "T007: i32[2] is not of floats, so it has no exponent to shorten; convert it: convert(x, DType::f32)");
}

TEST(reduce_precision, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(ReducePrecision::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
