// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/cumulative.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type matrix(DType::f32, {2, 3});

TEST(cumsum, adds_up_along_its_dim) {
  EXPECT_EQ(computed(Cumulative{CumulativeKind::sum, Dim{1}}, {counted(DType::f32, {2, 3})})[0],
            Tensor(Shape{2, 3}, std::vector<float>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(computed(Cumulative{CumulativeKind::sum, Dim{0}}, {counted(DType::i64, {2, 3})})[0],
            Tensor(Shape{2, 3}, std::vector<std::int64_t>{1, 2, 3, 5, 7, 9}));
}

TEST(cumsum, backward_adds_up_from_each_on) {
  EXPECT_EQ(computed(Cumulative{CumulativeKind::sum, Dim{1}, Order::backward}, {counted(DType::i32, {2, 3})})[0],
            Tensor(Shape{2, 3}, std::vector<std::int32_t>{6, 5, 3, 15, 11, 6}));
}

TEST(cumsum, transposes_to_the_other_order) {
  EXPECT_EQ(program_text({matrix},
                         [](const Arrays& ct) {
                           return *Cumulative{CumulativeKind::sum, Dim{1}}.transpose({{std::nullopt, matrix}}, {ct[0]})[0];
                         }),
            "program(%0: f32[2,3]) {\n"
            "  %1: f32[2,3] = cumsum{dim=1, order=backward} %0\n"
            "  return %1\n}\n");
}

TEST(cumsum, counts_negative_dims_from_the_end) {
  EXPECT_EQ(program_text({matrix}, [](const Arrays& x) { return cumsum(x[0], -2); }),
            "program(%0: f32[2,3]) {\n"
            "  %1: f32[2,3] = cumsum{dim=0, order=forward} %0\n"
            "  return %1\n}\n");
}

TEST(cumsum, rejects_a_dim_out_of_range_c1) {
  EXPECT_EQ(refusal_of(Cumulative{CumulativeKind::sum, Dim{2}}, {matrix}),
            "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (cumsum_c1)");
}

TEST(cumsum, rejects_bool_c2) {
  EXPECT_EQ(refusal_of(Cumulative{CumulativeKind::sum, Dim{0}}, {Type(DType::boolean, {3})}),
            "T007: bool[3] is bool, which has no sum (cumsum_c2); to count, convert it first: convert(x, "
            "DType::i32)");
}

TEST(cumsum, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Cumulative::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
