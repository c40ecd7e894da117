// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/dynamic_slice.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Axis& axis_a() { return example_mesh().axes()[0]; }
const Type row(DType::f32, {5}), matrix(DType::f32, {4, 5}), start(DType::i32, {});

Tensor window_at(std::int64_t first, std::int64_t second) {
  return computed(DynamicSlice{{2, 2}},
                  {counted(DType::i32, {3, 4}), Tensor::scalar(first), Tensor::scalar(second)})[0];
}
Tensor numbers(const std::vector<std::int32_t>& values) { return Tensor(Shape{2, 2}, values); }

TEST(dynamic_slice, takes_the_window_at_its_starts) { EXPECT_EQ(window_at(1, 2), numbers({7, 8, 11, 12})); }

TEST(dynamic_slice, brings_starts_inside) {
  EXPECT_EQ(window_at(-3, 99), window_at(0, 2));
  EXPECT_EQ(window_at(std::int64_t{1} << 40, 0), window_at(1, 0));
}

TEST(dynamic_slice, of_an_unreduced_sum_takes_starts_that_are_equal) {
  Type sum = row.with(axis_a(), unreduced);
  EXPECT_EQ((DynamicSlice{{2}}.infer({sum, start.with(axis_a(), reduced)})[0]),
            Type(DType::f32, {2}).with(axis_a(), unreduced));
  EXPECT_EQ(refusal_of([&] { DynamicSlice{{2}}.wants({sum, start.with(axis_a(), varying)}); }),
            "T004: the operand is an unreduced sum over 'a' (f32[5]{U:a}), the index is different on each "
            "device along "
            "'a' (i32[]{V:a}): each device would look up another term. Reduce first: psum(x, \"a\")");
}

TEST(dynamic_slice, refuses_a_start_that_is_an_unreduced_sum) {
  EXPECT_EQ(refusal_of([&] { DynamicSlice{{2}}.wants({row, start.with(axis_a(), unreduced)}); }),
            "T004: the index is an unreduced sum over 'a' (i32[]{U:a}); one cannot look things up by its "
            "terms. Reduce "
            "first: psum(index, \"a\")");
}

TEST(dynamic_slice, varies_where_a_start_varies) {
  EXPECT_EQ(program_text({row, start.with(axis_a(), varying)},
                         [](const Arrays& x) { return dynamic_slice(x[0], {x[1]}, {2}); }),
            "program(%0: f32[5], %1: i32[]{V:a}) {\n"
            "  %2: f32[5]{V:a} = cast{axes='a', from=I, to=V} %0\n"
            "  %3: f32[2]{V:a} = dynamic_slice{sizes=[2]} %2, %1\n"
            "  return %3\n}\n");
}

TEST(dynamic_slice, is_strict_about_states) {
  EXPECT_EQ(refusal_of(DynamicSlice{{2}}, {row, start.with(axis_a(), varying)}),
            "T004: operand 0 is f32[5], the others need it f32[5]{V:a}; cast it first");
}

TEST(dynamic_slice, refuses_to_transpose_by_its_starts) {
  Builder builder;
  Array x = builder.input(row), ct = builder.input(Type(DType::f32, {2}));
  EXPECT_EQ(refusal_of([&] { DynamicSlice{{2}}.transpose({{x, row}, {std::nullopt, start}}, {ct}); }),
            "T010: transpose is refused: the op is not linear in its indices");
}

TEST(dynamic_slice, rejects_another_number_of_starts_than_dims_c2) {
  EXPECT_EQ(refusal_of(DynamicSlice{{2, 2}}, {matrix, start}),
            "T006: 1 start for f32[4,5], which has 2 dims; give one for each (dynamic_slice_c2)");
  EXPECT_EQ(refusal_of(DynamicSlice{{2}}, {matrix, start, start}),
            "T006: sizes [2] for f32[4,5], which has 2 dims; give one for each (dynamic_slice_c2)");
}

TEST(dynamic_slice, rejects_starts_that_are_not_scalars_or_integers_c3) {
  EXPECT_EQ(refusal_of(DynamicSlice{{2}}, {row, Type(DType::i32, {1})}),
            "T005: a start is i32[1], not a scalar (dynamic_slice_c3)");
  EXPECT_EQ(
      refusal_of(DynamicSlice{{2}}, {row, Type(DType::f32, {})}),
      "T007: the index is f32[], not an integer (dynamic_slice_c3); convert it: convert(x, DType::i32)");
  EXPECT_EQ(refusal_of(DynamicSlice{{2, 2}}, {matrix, start, Type(DType::i64, {})}).substr(0, 42),
            "T007: i32[] and i64[] have different dtype");
}

TEST(dynamic_slice, rejects_a_window_larger_than_the_array_c4) {
  EXPECT_EQ(refusal_of(DynamicSlice{{6}}, {row, start}),
            "T005: a window of 6 elements along dim 0 of f32[5], which has 5; it cannot be larger "
            "(dynamic_slice_c4)");
}

TEST(dynamic_slice_in_dim, starts_at_0_along_the_other_dims) {
  EXPECT_EQ(program_text({matrix, Type(DType::i64, {})},
                         [](const Arrays& x) { return dynamic_slice_in_dim(x[0], x[1], 2, -1); }),
            "program(%0: f32[4,5], %1: i64[]) {\n"
            "  %2: i64[] = constant{value=0}\n"
            "  %3: f32[4,2] = dynamic_slice{sizes=[4, 2]} %0, %2, %1\n"
            "  return %3\n}\n");
}

TEST(dynamic_index_in_dim, drops_the_dim) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return dynamic_index_in_dim(x[0], x[1]); },
                        {counted(DType::f32, {3, 2}), Tensor::scalar(1)}),
            Tensor(Shape{2}, std::vector<float>{3, 4}));
}

TEST(dynamic_slice, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(DynamicSlice::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
