// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/dynamic_update_slice.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {5}), part(DType::f32, {2}), start(DType::i32, {});

Tensor updated_at(std::int32_t at) {
  Tensor update(Shape{2}, std::vector<float>{10, 20});
  return computed(DynamicUpdateSlice{}, {counted(DType::f32, {5}), update, Tensor::scalar(at)})[0];
}
Tensor numbers(const std::vector<float>& values) { return Tensor(Shape{5}, values); }

TEST(dynamic_update_slice, replaces_the_window_at_its_starts) {
  EXPECT_EQ(updated_at(1), numbers({1, 10, 20, 4, 5}));
}

TEST(dynamic_update_slice, brings_starts_inside) {
  EXPECT_EQ(updated_at(-1), numbers({10, 20, 3, 4, 5}));
  EXPECT_EQ(updated_at(4), numbers({1, 2, 3, 10, 20}));
}

TEST(dynamic_update_slice, replaces_a_window_of_two_dims) {
  Tensor y = computed_by([](const Arrays& x) { return dynamic_update_slice(x[0], x[1], {1, 1}); },
                         {counted(DType::i64, {3, 2}), Tensor(Shape{2, 1}, std::vector<std::int64_t>{8, 9})});
  EXPECT_EQ(y, Tensor(Shape{3, 2}, std::vector<std::int64_t>{1, 2, 3, 8, 5, 9}));
}

TEST(dynamic_update_slice, transposes_to_zeros_in_the_window_and_the_window) {
  DynamicUpdateSlice op;
  EXPECT_EQ(text_of(trace({start, row},
                          [&](const Arrays& x) {
                            Tangents cts =
                                op.transpose({{std::nullopt, row}, {std::nullopt, part}, {x[0], start}},
                                             {x[1]});
                            return Arrays{*cts[0], *cts[1]};
                          })
                        .program),
            "program(%0: i32[], %1: f32[5]) {\n"
            "  %2: f32[2] = dynamic_slice{sizes=[2]} %1, %0\n"
            "  %3: f32[2] = zero_tangent\n"
            "  %4: f32[5] = dynamic_update_slice %1, %3, %0\n"
            "  return %4, %2\n}\n");
}

TEST(dynamic_update_slice, rejects_an_update_of_another_dtype_c2) {
  EXPECT_EQ(refusal_of(DynamicUpdateSlice{}, {row, Type(DType::i32, {2}), start}),
            "T007: f32[5] and the update, i32[2], have different dtypes (dynamic_update_slice_c2); convert "
            "one of them: "
            "convert(x, DType::f32)");
}

TEST(dynamic_update_slice, rejects_an_update_of_another_rank_c3) {
  EXPECT_EQ(
      refusal_of(DynamicUpdateSlice{}, {row, Type(DType::f32, {}), start}),
      "T005: f32[5] has 1 dim, the update, f32[], has 0; they must be as many (dynamic_update_slice_c3)");
}

TEST(dynamic_update_slice, rejects_another_number_of_starts_than_dims_c4) {
  EXPECT_EQ(refusal_of(DynamicUpdateSlice{}, {row, part}),
            "T006: 0 starts for f32[5], which has 1 dim; give one for each (dynamic_update_slice_c4)");
}

TEST(dynamic_update_slice, rejects_starts_that_are_not_integers_c5) {
  EXPECT_EQ(refusal_of(DynamicUpdateSlice{}, {row, part, Type(DType::f32, {})}),
            "T007: the index is f32[], not an integer (dynamic_update_slice_c5); convert it: convert(x, "
            "DType::i32)");
}

TEST(dynamic_update_slice, rejects_an_update_larger_than_the_array_c6) {
  EXPECT_EQ(refusal_of(DynamicUpdateSlice{}, {part, row, start}),
            "T005: an update of 5 elements along dim 0 of f32[2], which has 2; it cannot be larger "
            "(dynamic_update_slice_c6)");
}

TEST(dynamic_update_slice_in_dim, starts_at_0_along_the_other_dims) {
  EXPECT_EQ(program_text({Type(DType::f32, {4, 3}), Type(DType::f32, {4, 1}), start},
                         [](const Arrays& x) { return dynamic_update_slice_in_dim(x[0], x[1], x[2], 1); }),
            "program(%0: f32[4,3], %1: f32[4,1], %2: i32[]) {\n"
            "  %3: i32[] = constant{value=0}\n"
            "  %4: f32[4,3] = dynamic_update_slice %0, %1, %3, %2\n"
            "  return %4\n}\n");
}

TEST(dynamic_update_slice, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(DynamicUpdateSlice::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
