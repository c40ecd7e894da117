// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/top_k.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type matrix(DType::f32, {2, 3});
Tensor row(const std::vector<float>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
Tensor places(const std::vector<std::int32_t>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}

TEST(top_k, are_the_largest_in_descending_order_the_first_of_equal_ones_first) {
  Tensors found = computed(TopK{3, Dim{0}}, {row({2, 7, 7, 1, 5})});
  EXPECT_EQ(found[0], row({7, 7, 5}));
  EXPECT_EQ(found[1], places({1, 2, 4}));
}

TEST(top_k, go_along_any_dim) {
  Tensors found =
      computed(TopK{1, Dim{0}}, {Tensor(Shape{2, 3}, std::vector<std::int32_t>{3, 1, 2, 0, 5, 4})});
  EXPECT_EQ(found[0], Tensor(Shape{1, 3}, std::vector<std::int32_t>{3, 5, 4}));
  EXPECT_EQ(found[1], Tensor(Shape{1, 3}, std::vector<std::int32_t>{0, 1, 1}));
}

TEST(top_k, have_nans_first_and_the_positive_zero_before_the_negative) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  Tensors found = computed(TopK{6, Dim{0}}, {row({-0.0F, infinity, nan, 0, -nan, 1})});
  EXPECT_EQ(found[1], places({2, 4, 1, 5, 3, 0}));
  EXPECT_TRUE(std::signbit(found[0].at(5)));
}

TEST(top_k, may_be_none_or_all) {
  EXPECT_EQ(computed(TopK{0, Dim{0}}, {row({2, 7})})[0], row({}));
  EXPECT_EQ(computed(TopK{2, Dim{0}}, {row({2, 7})})[1], places({1, 0}));
}

TEST(top_k, have_the_tangents_of_where_elements_come_from) {
  auto tangent = [](const Arrays& x) { return *TopK{2, Dim{0}}.jvp({x[0]}, {x[1]}).tangents[0]; };
  EXPECT_EQ(computed_by(tangent, {row({3, 1, 2}), row({10, 20, 30})}), row({10, 30}));
}

TEST(top_k, count_negative_dims_from_the_end) {
  EXPECT_EQ(program_text({matrix}, [](const Arrays& x) { return top_k(x[0], 2).values; }),
            "program(%0: f32[2,3]) {\n"
            "  %1: f32[2,2], %2: i32[2,2] = top_k{k=2, dim=1} %0\n"
            "  return %1\n}\n");
}

TEST(top_k, reject_a_dim_out_of_range_c1) {
  EXPECT_EQ(refusal_of(TopK{1, Dim{2}}, {matrix}),
            "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (top_k_c1)");
}

TEST(top_k, reject_more_than_there_are_c2) {
  EXPECT_EQ(refusal_of(TopK{4, Dim{1}}, {matrix}),
            "T005: k = 4 is not among 0 to 3, the size of dim 1 of f32[2,3] (top_k_c2)");
  EXPECT_EQ(refusal_of(TopK{-1, Dim{1}}, {matrix}),
            "T005: k = -1 is not among 0 to 3, the size of dim 1 of f32[2,3] (top_k_c2)");
}

TEST(top_k, reject_more_elements_than_i32_counts_c3) {
  EXPECT_EQ(refusal_of(TopK{1, Dim{0}}, {Type(DType::f32, {(std::int64_t{1} << 31) + 1})}),
            "T007: dim 0 of f32[2147483649] has more than 2^31 elements, beyond the indices of i32 "
            "(top_k_c3); take the "
            "largest of parts first");
}

TEST(top_k, have_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(TopK::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
