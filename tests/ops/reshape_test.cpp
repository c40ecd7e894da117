// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/reshape.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

Type f32(Shape shape) { return Type(DType::f32, std::move(shape)); }

std::string digits(const Shape& from, const Shape& to) {
  return to_string(std::get<kernel::View>(kernel_of(Reshape{to}, {f32(from)})));
}

TEST(reshape, keeps_dtype_and_states) {
  Axis a = example_mesh().axes()[0];
  Type x = Type(DType::i32, {4, 6}).with(a, unreduced);
  EXPECT_EQ(Reshape{{24}}.infer({x})[0], Type(DType::i32, {24}).with(a, unreduced));
}

TEST(reshape, refuses_another_number_of_elements_c2) {
  EXPECT_EQ(refusal_of(Reshape{{5, 5}}, {f32({4, 6})}),
            "T005: f32[4,6] has 24 elements, [5,5] has 25; both must be as many (reshape_c2)");
}

TEST(reshape, refuses_negative_sizes) {
  EXPECT_EQ(refusal_of(Reshape{{-2, -12}}, {f32({4, 6})}),
            "T005: shape [-2,-12] has a negative size; sizes are 0 or more");
}

TEST(reshape, splits_a_dim_into_digits) {
  EXPECT_EQ(digits({4, 6}, {2, 2, 6}), "2: d0*2 > d0, 2: d0 > d1, 6: d1 > d2");
}

TEST(reshape, merges_dims_into_digits) {
  EXPECT_EQ(digits({2, 3, 4}, {6, 4}), "2: d0 > d0*3, 3: d1 > d0, 4: d2 > d1");
}

TEST(reshape, splits_and_merges_where_the_sizes_divide) {
  EXPECT_EQ(digits({4, 6}, {2, 12}), "2: d0*2 > d0, 2: d0 > d1*6, 6: d1 > d1");
}

TEST(reshape, drops_and_adds_dims_of_size_1_without_digits) {
  EXPECT_EQ(digits({1, 5, 1}, {5}), "5: d1 > d0");
  EXPECT_EQ(digits({1, 1}, {}), "");
}

TEST(reshape, has_no_digits_where_the_sizes_do_not_divide) { EXPECT_EQ(digits({4, 6}, {6, 4}), "reshape"); }

TEST(reshape, of_nothing_has_no_digits) { EXPECT_EQ(digits({0, 3}, {7, 0}), "reshape"); }

TEST(reshape, keeps_the_row_major_order_in_every_example) {
  for (const Example& example : Reshape::examples()) {
    Type type = example.operands[0].type;
    Tensor x = counted(type.dtype(), type.shape());
    Shape to = example.op->infer({type})[0].shape();
    EXPECT_EQ(viewed(std::get<kernel::View>(kernel_of(example.op, {type})), x, to), x.reshaped(to))
        << to_string(example.op);
  }
}

TEST(reshape, fills_in_the_open_size) {
  EXPECT_EQ(program_text({f32({4, 6})}, [](const Arrays& x) { return reshape(x[0], {3, -1}); }),
            "program(%0: f32[4,6]) {\n"
            "  %1: f32[3,8] = reshape{to=[3,8]} %0\n"
            "  return %1\n}\n");
}

TEST(reshape, to_the_same_shape_records_nothing) {
  EXPECT_EQ(program_text({f32({4, 6})}, [](const Arrays& x) { return reshape(x[0], {4, -1}); }),
            "program(%0: f32[4,6]) {\n  return %0\n}\n");
}

TEST(reshape, refuses_two_open_sizes) {
  EXPECT_EQ(refusal_of([] {
              trace({f32({4, 6})}, [](const Arrays& x) { return Arrays{reshape(x[0], {-1, -1})}; });
            }),
            "T005: reshape: [-1,-1] has more than one -1; leave one size open at most");
}

TEST(reshape, refuses_an_open_size_that_does_not_divide_c2) {
  EXPECT_EQ(
      refusal_of(
          [] { trace({f32({4, 6})}, [](const Arrays& x) { return Arrays{reshape(x[0], {5, -1})}; }); }),
      "T005: reshape: no size in the place of -1 gives [5,-1] the 24 elements of f32[4,6] (reshape_c2)");
}

TEST(reshape, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Reshape::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
