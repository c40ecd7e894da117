// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/arg_reduce.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/transform/jvp.hpp"

namespace tutti {
namespace {

const Type matrix(DType::f32, {2, 3});
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::int32_t index_of(Extreme extreme, const std::vector<float>& values) {
  Tensor x(Shape{static_cast<std::int64_t>(values.size())}, values);
  return computed(ArgReduce{extreme, Dim{0}}, {x})[0].as<std::int32_t>()[0];
}

TEST(argmax, names_the_first_of_the_largest) {
  EXPECT_EQ(index_of(Extreme::largest, {1, 7, 3, 7}), 1);
  EXPECT_EQ(index_of(Extreme::smallest, {4, 2, 3, 2}), 1);
  EXPECT_EQ(index_of(Extreme::largest, {-0.0F, 0}), 0);
  EXPECT_EQ(index_of(Extreme::largest, {-std::numeric_limits<float>::infinity()}), 0);
}

TEST(argmax, names_the_first_nan) {
  EXPECT_EQ(index_of(Extreme::largest, {1, nan, 9, nan}), 1);
  EXPECT_EQ(index_of(Extreme::smallest, {1, nan, -9, nan}), 1);
  EXPECT_EQ(index_of(Extreme::largest, {nan, 5}), 0);
}

TEST(argmax, goes_along_any_dim_in_any_index_dtype) {
  Tensor x(Shape{2, 3}, std::vector<std::int32_t>{3, 1, 2, 0, 5, 4});
  EXPECT_EQ(computed_by([](const Arrays& in) { return argmax(in[0], -1, DType::i64); }, {x}),
            Tensor(Shape{2}, std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(computed_by([](const Arrays& in) { return argmin(in[0]); }, {x}),
            Tensor(Shape{3}, std::vector<std::int32_t>{1, 0, 0}));
}

TEST(argmax, rejects_a_dim_out_of_range_c1) {
  EXPECT_EQ(refusal_of(ArgReduce{Extreme::largest, Dim{2}}, {matrix}),
            "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (argmax_c1)");
}

TEST(argmax, rejects_to_name_one_of_nothing_c2) {
  EXPECT_EQ(refusal_of(ArgReduce{Extreme::smallest, Dim{0}}, {Type(DType::f32, {0, 3})}),
            "T005: dim 0 of f32[0,3] has no elements, so none is the smallest (argmax_c2)");
}

TEST(argmax, rejects_indices_that_are_not_integers_c3) {
  EXPECT_EQ(refusal_of(ArgReduce{Extreme::largest, Dim{0}, DType::f32}, {matrix}),
            "T007: indices of f32; they are i32 or i64 (argmax_c3)");
}

TEST(argmax, is_a_constant_to_derivatives) {
  auto indices = [](const Arrays& x) { return Arrays{argmax(x[0]), argmin(x[0], 1, DType::i64)}; };
  JvpProgram derived = jvp(trace({matrix}, indices).program, {true});
  EXPECT_EQ(derived.nonzero, (Bits{false, false}));
}

TEST(argmax, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(ArgReduce::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
