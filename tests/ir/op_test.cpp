// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/op.hpp"
#include "tutti/base/inside.hpp"

#include <gtest/gtest.h>

#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"data", 4}, {"model", 2}});

TEST(op, equals_ops_of_the_same_struct_and_fields) {
  Op sum = Reduce{ReduceKind::sum, {Dim{0}}};
  EXPECT_EQ(sum, Op(Reduce{ReduceKind::sum, {Dim{0}}}));
  EXPECT_NE(sum, Op(Reduce{ReduceKind::sum, {Dim{1}}}));
  EXPECT_NE(sum, Op(Reduce{ReduceKind::max, {Dim{0}}}));
  EXPECT_NE(Op(Unary{UnaryFn::neg}), Op(Binary{BinaryFn::add}));
}

TEST(op, is_known_by_the_struct_that_it_was_made_from) {
  Op sum = Reduce{ReduceKind::sum, {Dim{0}}};
  ASSERT_NE(sum.as<Reduce>(), nullptr);
  EXPECT_EQ(sum.as<Reduce>()->dims, Dims{Dim{0}});
  EXPECT_EQ(sum.as<Unary>(), nullptr);
}

TEST(op, is_shared_by_its_copies) {
  Op sum = Reduce{ReduceKind::sum, {Dim{0}}}, copy = sum;
  EXPECT_EQ(sum.as<Reduce>(), copy.as<Reduce>());
}

TEST(op, prints_its_name_and_fields) {
  EXPECT_EQ(to_string(Op(Reduce{ReduceKind::max, {Dim{0}, Dim{2}}})), "reduce_max{dims=[0, 2]}");
  EXPECT_EQ(to_string(Op(AllGather{mesh.axes(), Dim{1}, Stacking::tiled, State::reduced})),
            "all_gather{axes=('data', 'model'), dim=1, stacking=tiled, to=R}");
  EXPECT_EQ(to_string(Op(Unary{UnaryFn::tanh})), "tanh");
}

TEST(op, says_which_rules_it_refuses) {
  EXPECT_EQ(Op(Reduce{ReduceKind::max, {}})->refusal(Rule::transpose), "a maximum or minimum is not linear");
  EXPECT_EQ(Op(Reduce{ReduceKind::sum, {}})->refusal(Rule::transpose), "");
}

}  // namespace
}  // namespace tutti
