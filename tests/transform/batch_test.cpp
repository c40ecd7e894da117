// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/batch.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/reduce.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {3});
const Axis lane = fresh_axis("lane", 4);
const Type lanes = row.with(lane, varying);

Program batched(const Types& types, const std::function<Arrays(const Arrays&)>& function) {
  return batch(trace(types, function).program, lane);
}

TEST(batch, gives_dim_0_to_what_varies_over_the_axis) {
  EXPECT_EQ(text_of(batched({lanes, row},
                            [](const Arrays& x) { return Arrays{reduce_sum(x[0]), reduce_sum(x[1])}; })),
            "program(%0: f32[4,3], %1: f32[3]) {\n"
            "  %2: f32[4] = reduce_sum{dims=[1]} %0\n"
            "  %3: f32[] = reduce_sum{dims=[0]} %1\n"
            "  return %2, %3\n"
            "}\n");
}

TEST(batch, folds_lanes_where_a_collective_names_the_axis) {
  EXPECT_EQ(text_of(batched({lanes}, [](const Arrays& x) { return Arrays{all_reduce(x[0], {lane})}; })),
            "program(%0: f32[4,3]) {\n"
            "  %1: f32[3] = reduce_sum{dims=[0]} %0\n"
            "  return %1\n"
            "}\n");
}

TEST(batch, does_not_repeat_what_varies_only_by_a_cast) {
  Type matrix(DType::f32, {3, 2});
  EXPECT_EQ(
      text_of(batched({lanes, matrix}, [](const Arrays& x) { return Arrays{matmul(x[0], x[1])}; })),
      "program(%0: f32[4,3], %1: f32[3,2]) {\n"
      "  %2: f32[4,2] = dot_general{lhs_batch=[], rhs_batch=[], lhs_contract=[1], rhs_contract=[0]} %0, %1\n"
      "  return %2\n"
      "}\n");
}

TEST(batch, repeats_what_leaves_as_varying) {
  EXPECT_EQ(text_of(batched({row}, [](const Arrays& x) { return Arrays{cast_to(x[0], {lane}, varying)}; })),
            "program(%0: f32[3]) {\n"
            "  %1: f32[4,3] = broadcast_in_dim{to=[4,3], dims=[1]} %0\n"
            "  return %1\n"
            "}\n");
}

TEST(batch, leaves_other_axes_alone) {
  const Axis& a = example_mesh().axes()[0];
  EXPECT_EQ(text_of(batched({lanes.with(a, varying)},
                            [&](const Arrays& x) { return Arrays{all_reduce(x[0], {a})}; })),
            "program(%0: f32[4,3]{V:a}) {\n"
            "  %1: f32[4,3] = all_reduce{kind=sum, axes='a'} %0\n"
            "  return %1\n"
            "}\n");
}

}  // namespace
}  // namespace tutti
