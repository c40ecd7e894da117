// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/broadcast_in_dim.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {3}), matrix(DType::f32, {2, 3});

kernel::View view_of(const BroadcastInDim& op, const Type& x) {
  return std::get<kernel::View>(kernel_of(op, {x}));
}

TEST(broadcast_in_dim, repeats_along_new_dims) {
  BroadcastInDim op{{2, 3}, {Dim{1}}};
  EXPECT_EQ(op.infer({row})[0], matrix);
  EXPECT_EQ(to_string(view_of(op, row)), "2: nowhere > d0, 3: d0 > d1");
  EXPECT_EQ(viewed(view_of(op, row), Tensor(Shape{3}, std::vector<float>{1, 2, 3}), {2, 3}),
            Tensor(Shape{2, 3}, std::vector<float>{1, 2, 3, 1, 2, 3}));
}

TEST(broadcast_in_dim, repeats_dims_of_size_1) {
  BroadcastInDim op{{2, 3}, {Dim{0}, Dim{1}}};
  EXPECT_EQ(viewed(view_of(op, Type(DType::f32, {2, 1})), Tensor(Shape{2, 1}, std::vector<float>{1, 2}),
                   {2, 3}),
            Tensor(Shape{2, 3}, std::vector<float>{1, 1, 1, 2, 2, 2}));
}

TEST(broadcast_in_dim, may_permute) {
  BroadcastInDim op{{3, 2}, {Dim{1}, Dim{0}}};
  EXPECT_EQ(viewed(view_of(op, matrix), Tensor(Shape{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}), {3, 2}),
            Tensor(Shape{3, 2}, std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(broadcast_in_dim, keeps_states) {
  Axis a = example_mesh().axes()[0];
  BroadcastInDim op{{2, 3}, {Dim{1}}};
  EXPECT_EQ(op.infer({row.with(a, unreduced)})[0], matrix.with(a, unreduced));
}

TEST(broadcast_in_dim, refuses_negative_sizes) {
  EXPECT_EQ(refusal_of(BroadcastInDim{{-1, 3}, {Dim{1}}}, {row}),
            "T005: shape [-1,3] has a negative size; sizes are 0 or more");
}

TEST(broadcast_in_dim, refuses_another_number_of_dims_c2) {
  EXPECT_EQ(refusal_of(BroadcastInDim{{2, 3}, {}}, {row}),
            "T006: dims [] are 0, f32[3] has 1; name a dim of the result for each (broadcast_in_dim_c2)");
}

TEST(broadcast_in_dim, refuses_a_dim_out_of_range_c3) {
  EXPECT_EQ(
      refusal_of(BroadcastInDim{{2, 3}, {Dim{2}}}, {row}),
      "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (broadcast_in_dim_c3)");
}

TEST(broadcast_in_dim, refuses_a_dim_named_twice_c4) {
  EXPECT_EQ(refusal_of(BroadcastInDim{{3, 3}, {Dim{1}, Dim{1}}}, {Type(DType::f32, {3, 3})}),
            "T006: dim 1 of f32[3,3] is named twice; name each dim once (broadcast_in_dim_c4)");
}

TEST(broadcast_in_dim, refuses_sizes_that_differ_c5) {
  EXPECT_EQ(
      refusal_of(BroadcastInDim{{3, 2}, {Dim{1}}}, {row}),
      "T005: dim 0 of f32[3] has size 3 and becomes dim 1 of [3,2], of size 2; sizes must be equal, or the "
      "operand's 1 (broadcast_in_dim_c5)");
}

TEST(broadcast_in_dim, broadcast_to_counts_dims_from_the_right) {
  EXPECT_EQ(program_text({row}, [](const Arrays& x) { return broadcast_to(x[0], {2, 3}); }),
            "program(%0: f32[3]) {\n"
            "  %1: f32[2,3] = broadcast_in_dim{to=[2,3], dims=[1]} %0\n"
            "  return %1\n}\n");
  EXPECT_EQ(program_text({row}, [](const Arrays& x) { return broadcast_to(x[0], {3}); }),
            "program(%0: f32[3]) {\n  return %0\n}\n");
}

TEST(broadcast_in_dim, broadcast_to_refuses_fewer_dims) {
  EXPECT_EQ(refusal_of(
                [] { trace({matrix}, [](const Arrays& x) { return Arrays{broadcast_to(x[0], {3})}; }); }),
            "T005: broadcast_to: f32[2,3] has 2 dims, more than [3]; reshape or reduce it first");
}

TEST(broadcast_in_dim, insert_dim_repeats_and_expand_dims_does_not) {
  EXPECT_EQ(program_text({row}, [](const Arrays& x) { return expand_dims(insert_dim(x[0], Dim{1}, 4), -1); }),
            "program(%0: f32[3]) {\n"
            "  %1: f32[3,4] = broadcast_in_dim{to=[3,4], dims=[0]} %0\n"
            "  %2: f32[3,4,1] = broadcast_in_dim{to=[3,4,1], dims=[0, 1]} %1\n"
            "  return %2\n}\n");
}

TEST(broadcast_in_dim, insert_dims_undoes_the_shape_of_a_reduction) {
  EXPECT_EQ(program_text({row},
                         [](const Arrays& x) { return insert_dims(x[0], {Dim{0}, Dim{2}}, {2, 3, 5}); }),
            "program(%0: f32[3]) {\n"
            "  %1: f32[2,3,5] = broadcast_in_dim{to=[2,3,5], dims=[1]} %0\n"
            "  return %1\n}\n");
}

TEST(broadcast_in_dim, expand_dims_refuses_a_dim_out_of_range) {
  EXPECT_EQ(refusal_of([] { trace({row}, [](const Arrays& x) { return Arrays{expand_dims(x[0], 2)}; }); }),
            "T006: expand_dims: dim 2 is out of range for f32[3] with one dim more, which has dims -2 to 1");
}

TEST(broadcast_in_dim, shapes_broadcast_as_in_numpy) {
  EXPECT_EQ(broadcast_shape({4, 1, 3}, {5, 1}), Shape({4, 5, 3}));
  EXPECT_EQ(broadcast_shape({}, {0, 1}), Shape({0, 1}));
  EXPECT_EQ(broadcast_shape({1}, {0}), Shape({0}));
  EXPECT_EQ(refusal_of([] { broadcast_shape({4, 2}, {3, 1}); }),
            "T005: shapes [4,2] and [3,1] do not broadcast: 4 and 3 in dim 2 from the end; sizes must be "
            "equal, or 1");
}

TEST(broadcast_in_dim, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(BroadcastInDim::examples()), std::vector<std::string>{});
}

TEST(broadcast_in_dim, transposes_to_a_sum_over_what_was_repeated) {
  Axis a = example_mesh().axes()[0];
  Type x = Type(DType::f32, {1, 3}).with(a, unreduced);
  BroadcastInDim op{{3, 2, 5}, {Dim{1}, Dim{0}}};
  Type cotangent = dual(op.infer({x})[0]);
  EXPECT_EQ(program_text({cotangent},
                         [&](const Arrays& ct) { return *op.transpose({{std::nullopt, x}}, {ct[0]})[0]; }),
            "program(%0: f32[3,2,5]{R:a}) {\n"
            "  %1: f32[3]{R:a} = reduce_sum{dims=[1, 2]} %0\n"
            "  %2: f32[1,3]{R:a} = reshape{to=[1,3]} %1\n"
            "  return %2\n}\n");
}

}  // namespace
}  // namespace tutti
