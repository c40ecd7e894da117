// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/concatenate.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Axis& axis_a() { return example_mesh().axes()[0]; }
const Type narrow(DType::f32, {2, 1}), wide(DType::f32, {2, 3});

TEST(concatenate, puts_operands_one_after_the_other) {
  Tensor x(Shape{2, 1}, std::vector<float>{10, 20});
  EXPECT_EQ(computed(Concatenate{Dim{1}}, {x, counted(DType::f32, {2, 3})})[0],
            Tensor(Shape{2, 4}, std::vector<float>{10, 1, 2, 3, 20, 4, 5, 6}));
  EXPECT_EQ(computed(Concatenate{Dim{0}}, {counted(DType::boolean, {1}), Tensor({0}, DType::boolean),
                                           counted(DType::boolean, {2})})[0],
            Tensor(Shape{3}, std::vector<bool>{true, true, false}));
}

TEST(concatenate, passes_unreduced_sums_together) {
  Type sum = wide.with(axis_a(), unreduced);
  EXPECT_EQ(Concatenate{Dim{0}}.infer({sum, sum})[0], Type(DType::f32, {4, 3}).with(axis_a(), unreduced));
}

TEST(concatenate, refuses_an_unreduced_sum_beside_a_value) {
  std::string text = refusal_of(Concatenate{Dim{0}}, {wide.with(axis_a(), unreduced), wide});
  EXPECT_EQ(text.substr(0, 51), "T004: the left operand is an unreduced sum over 'a'");
  EXPECT_NE(text.find("or keep it on one device: mask(right, \"a\")"), text.npos) << text;
}

TEST(concatenate, transposes_to_slices_of_the_linear_operands) {
  EXPECT_EQ(program_text({Type(DType::f32, {2, 4})},
                         [&](const Arrays& ct) {
                           return *Concatenate{Dim{1}}.transpose({{ct[0], narrow}, {std::nullopt, wide}},
                                                                 {ct[0]})[1];
                         }),
            "program(%0: f32[2,4]) {\n"
            "  %1: f32[2,3] = slice{start=[0, 1], limit=[2, 4], stride=[1, 1]} %0\n"
            "  return %1\n}\n");
}

TEST(concatenate, rejects_operands_of_different_dtypes_c1) {
  EXPECT_EQ(refusal_of(Concatenate{Dim{0}}, {wide, Type(DType::i32, {2, 3})}).substr(0, 47),
            "T007: f32[2,3] and i32[2,3] have different dtyp");
}

TEST(concatenate, rejects_operands_that_differ_in_another_dim_c2) {
  EXPECT_EQ(
      refusal_of(Concatenate{Dim{0}}, {narrow, wide}),
      "T005: f32[2,1] and f32[2,3] differ in another dim than 0; only that one may differ (concatenate_c2)");
}

TEST(concatenate, rejects_no_operands_c3) {
  EXPECT_EQ(refusal_of(Concatenate{Dim{0}}, {}), "T005: no operands; give one at least (concatenate_c3)");
  EXPECT_EQ(refusal_of([] { program_text({}, [](const Arrays&) { return concatenate({}); }); }),
            "T005: concatenate: no arrays; give one at least (concatenate_c3)");
}

TEST(concatenate, rejects_a_dim_out_of_range_c4) {
  EXPECT_EQ(refusal_of(Concatenate{Dim{2}}, {wide}),
            "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (concatenate_c4)");
}

TEST(concatenate, of_one_array_records_nothing) {
  EXPECT_EQ(program_text({wide}, [](const Arrays& x) { return concatenate({x[0]}, -1); }),
            "program(%0: f32[2,3]) {\n  return %0\n}\n");
}

TEST(stack, puts_arrays_along_a_new_dim) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return stack({x[0], x[0]}, -1); }, {counted(DType::f32, {2})}),
            Tensor(Shape{2, 2}, std::vector<float>{1, 1, 2, 2}));
}

TEST(stack, rejects_arrays_of_different_shapes) {
  EXPECT_EQ(refusal_of(
                [] { program_text({narrow, wide}, [](const Arrays& x) { return stack({x[0], x[1]}); }); }),
            "T005: stack: f32[2,1] and f32[2,3] have different shapes; all must be equal");
}

TEST(concatenate, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Concatenate::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
