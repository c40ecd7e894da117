// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/slice.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type matrix(DType::f32, {4, 5});

TEST(slice, takes_every_stride_th_element_before_the_limit) {
  EXPECT_EQ(computed(Slice{{1, 0}, {4, 5}, {2, 3}}, {counted(DType::i32, {4, 5})})[0],
            Tensor(Shape{2, 2}, std::vector<std::int32_t>{6, 9, 16, 19}));
  EXPECT_EQ((Slice{{2, 5}, {2, 5}, {1, 1}}.infer({matrix})[0]), Type(DType::f32, {0, 0}));
}

TEST(slice, is_a_view) {
  EXPECT_EQ(to_string(std::get<kernel::View>(kernel_of(Slice{{1, 0}, {4, 5}, {2, 3}}, {matrix}))),
            "2: d0*2 > d0, 2: d1*3 > d1 from [1, 0]");
}

TEST(slice, transposes_to_zeros_around_and_between) {
  Slice op{{1}, {6}, {2}};
  EXPECT_EQ(program_text({Type(DType::f32, {3})},
                         [&](const Arrays& ct) {
                           return *op.transpose({{std::nullopt, Type(DType::f32, {7})}}, {ct[0]})[0];
                         }),
            "program(%0: f32[3]) {\n"
            "  %1: f32[] = zero_tangent\n"
            "  %2: f32[7] = pad{low=[1], high=[1], interior=[1]} %0, %1\n"
            "  return %2\n}\n");
}

TEST(slice, rejects_another_number_of_entries_than_dims_c2) {
  EXPECT_EQ(refusal_of(Slice{{1}, {4}, {1}}, {matrix}),
            "T006: [1] has 1 entry, f32[4,5] has 2 dims; give start, limit and stride for each (slice_c2)");
}

TEST(slice, rejects_a_limit_before_the_start_or_behind_the_end_c3) {
  EXPECT_EQ(refusal_of(Slice{{0, 0}, {4, 6}, {1, 1}}, {matrix}),
            "T005: elements 0 to 6 of dim 1 of f32[4,5]; start and limit lie between 0 and 5, in this order "
            "(slice_c3)");
  EXPECT_EQ(refusal_of(Slice{{3, 0}, {2, 5}, {1, 1}}, {matrix}),
            "T005: elements 3 to 2 of dim 0 of f32[4,5]; start and limit lie between 0 and 4, in this order "
            "(slice_c3)");
}

TEST(slice, rejects_a_stride_that_is_not_positive_c4) {
  EXPECT_EQ(refusal_of(Slice{{0, 0}, {4, 5}, {0, 1}}, {matrix}),
            "T005: stride 0 in dim 0; a stride is at least 1 (slice_c4). To go backwards: rev");
}

TEST(slice, of_everything_records_nothing) {
  EXPECT_EQ(program_text({matrix}, [](const Arrays& x) { return slice_in_dims(x[0], {{0, 0}, {4, 5}}); }),
            "program(%0: f32[4,5]) {\n  return %0\n}\n");
}

TEST(slice_in_dim, counts_negative_numbers_from_the_end) {
  EXPECT_EQ(program_text({matrix}, [](const Arrays& x) { return slice_in_dim(x[0], -3, -1, 1, -1); }),
            "program(%0: f32[4,5]) {\n"
            "  %1: f32[4,2] = slice{start=[0, 2], limit=[4, 4], stride=[1, 1]} %0\n"
            "  return %1\n}\n");
}

TEST(slice_in_dim, without_limit_goes_to_the_end) {
  EXPECT_EQ(program_text({matrix}, [](const Arrays& x) { return slice_in_dim(x[0], 1, {}, 2); }),
            "program(%0: f32[4,5]) {\n"
            "  %1: f32[2,5] = slice{start=[1, 0], limit=[4, 5], stride=[2, 1]} %0\n"
            "  return %1\n}\n");
}

TEST(index_in_dim, drops_the_dim) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return index_in_dim(x[0], -1, 1); },
                        {counted(DType::f32, {2, 3})}),
            Tensor(Shape{2}, std::vector<float>{3, 6}));
}

TEST(index_in_dim, rejects_an_index_out_of_range) {
  EXPECT_EQ(refusal_of([] { program_text({matrix}, [](const Arrays& x) { return index_in_dim(x[0], 4); }); }),
            "T005: index_in_dim: index 4 is out of range for dim 0 of f32[4,5], which has 4 elements");
}

TEST(slice, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Slice::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
