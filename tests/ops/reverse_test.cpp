// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/reverse.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type matrix(DType::f32, {2, 3});

TEST(reverse, turns_some_dims_around) {
  EXPECT_EQ(computed(Reverse{{Dim{1}}}, {counted(DType::i32, {2, 3})})[0],
            Tensor(Shape{2, 3}, std::vector<std::int32_t>{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(computed(Reverse{{Dim{1}, Dim{0}}}, {counted(DType::i32, {2, 3})})[0],
            Tensor(Shape{2, 3}, std::vector<std::int32_t>{6, 5, 4, 3, 2, 1}));
}

TEST(reverse, is_a_view_that_steps_backwards) {
  EXPECT_EQ(to_string(std::get<kernel::View>(kernel_of(Reverse{{Dim{1}}}, {matrix}))),
            "2: d0 > d0, 3: d1*-1 > d1 from [0, 2]");
  EXPECT_EQ(to_string(std::get<kernel::View>(kernel_of(Reverse{{Dim{0}}}, {Type(DType::f32, {0})}))),
            "0: d0*-1 > d0 from [0]");
}

TEST(reverse, rejects_a_dim_named_twice_c2) {
  EXPECT_EQ(refusal_of(Reverse{{Dim{1}, Dim{1}}}, {matrix}),
            "T006: dim 1 of f32[2,3] is named twice; name each dim once (reverse_c2)");
}

TEST(reverse, rejects_a_dim_out_of_range_c3) {
  EXPECT_EQ(refusal_of(Reverse{{Dim{2}}}, {matrix}),
            "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (reverse_c3)");
}

TEST(rev, takes_all_dims_or_some) {
  EXPECT_EQ(program_text({matrix}, [](const Arrays& x) { return rev(rev(rev(x[0]), -1), {}); }),
            "program(%0: f32[2,3]) {\n"
            "  %1: f32[2,3] = reverse{dims=[0, 1]} %0\n"
            "  %2: f32[2,3] = reverse{dims=[1]} %1\n"
            "  return %2\n}\n");
}

TEST(reverse, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Reverse::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
