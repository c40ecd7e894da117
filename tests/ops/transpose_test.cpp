// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/transpose.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type box(DType::f32, {2, 3, 5});

TEST(transpose, puts_operand_dim_permutation_i_at_i) {
  Axis a = example_mesh().axes()[0];
  Transpose op{{Dim{2}, Dim{0}, Dim{1}}};
  EXPECT_EQ(op.infer({box.with(a, unreduced)})[0], Type(DType::f32, {5, 2, 3}).with(a, unreduced));
  EXPECT_EQ(to_string(std::get<kernel::View>(kernel_of(op, {box}))), "5: d2 > d0, 2: d0 > d1, 3: d1 > d2");
}

TEST(transpose, moves_the_elements) {
  Tensor x(Shape{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  kernel::View view =
      std::get<kernel::View>(kernel_of(Transpose{{Dim{1}, Dim{0}}}, {Type(DType::f32, {2, 3})}));
  EXPECT_EQ(viewed(view, x, {3, 2}), Tensor(Shape{3, 2}, std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(transpose, refuses_a_permutation_of_another_length_c2) {
  EXPECT_EQ(
      refusal_of(Transpose{{Dim{1}, Dim{0}}}, {box}),
      "T006: the permutation [1, 0] names 2 dims, f32[2,3,5] has 3; name every dim once (transpose_c2)");
}

TEST(transpose, refuses_a_dim_out_of_range_c2) {
  EXPECT_EQ(refusal_of(Transpose{{Dim{0}, Dim{1}, Dim{3}}}, {box}),
            "T006: dim 3 is out of range for f32[2,3,5], which has 3 dims, counted from 0 (transpose_c2)");
}

TEST(transpose, refuses_a_dim_named_twice_c2) {
  EXPECT_EQ(refusal_of(Transpose{{Dim{0}, Dim{1}, Dim{1}}}, {box}),
            "T006: dim 1 of f32[2,3,5] is named twice; name each dim once (transpose_c2)");
}

TEST(transpose, without_permutation_reverses) {
  EXPECT_EQ(program_text({box}, [](const Arrays& x) { return transpose(x[0]); }),
            "program(%0: f32[2,3,5]) {\n"
            "  %1: f32[5,3,2] = transpose{permutation=[2, 1, 0]} %0\n"
            "  return %1\n}\n");
}

TEST(transpose, counts_negative_dims_from_the_end) {
  EXPECT_EQ(program_text({box}, [](const Arrays& x) { return transpose(x[0], {-1, 0, -2}); }),
            "program(%0: f32[2,3,5]) {\n"
            "  %1: f32[5,2,3] = transpose{permutation=[2, 0, 1]} %0\n"
            "  return %1\n}\n");
}

TEST(transpose, that_moves_nothing_records_nothing) {
  std::string nothing = "program(%0: f32[2,3,5]) {\n  return %0\n}\n";
  EXPECT_EQ(program_text({box}, [](const Arrays& x) { return transpose(x[0], {0, 1, 2}); }), nothing);
  EXPECT_EQ(program_text({box}, [](const Arrays& x) { return move_dim(x[0], Dim{1}, Dim{1}); }), nothing);
}

TEST(transpose, move_dim_keeps_the_order_of_the_others) {
  EXPECT_EQ(program_text({box},
                         [](const Arrays& x) {
                           return move_dim(move_dim(x[0], Dim{0}, Dim{2}), Dim{1}, Dim{0});
                         }),
            "program(%0: f32[2,3,5]) {\n"
            "  %1: f32[3,5,2] = transpose{permutation=[1, 2, 0]} %0\n"
            "  %2: f32[5,3,2] = transpose{permutation=[1, 0, 2]} %1\n"
            "  return %2\n}\n");
}

TEST(transpose, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Transpose::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
