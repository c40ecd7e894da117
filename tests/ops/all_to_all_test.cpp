// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/all_to_all.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1], c = example_mesh().axes()[2];
Type over_ab(Shape shape) { return Type(DType::f32, std::move(shape)).with({a, b}, varying); }

std::string view(const AllToAll& op, const Type& x) {
  return to_string(std::get<kernel::View>(kernel_of(op, {x})));
}

TEST(all_to_all, removes_split_and_puts_the_sources_at_concat_of_the_result) {
  AllToAll op{{a, b}, Dim{0}, Dim{2}};
  EXPECT_EQ(op.infer({over_ab({4, 3, 5}).with(c, unreduced)})[0], over_ab({3, 5, 4}).with(c, unreduced));
  op = {{a, b}, Dim{2}, Dim{0}};
  EXPECT_EQ(op.infer({over_ab({3, 5, 4})})[0], over_ab({4, 3, 5}));
}

TEST(all_to_all, tiled_divides_split_and_multiplies_concat) {
  AllToAll op{{a, b}, Dim{1}, Dim{0}, Stacking::tiled};
  EXPECT_EQ(op.infer({over_ab({3, 8})})[0], over_ab({12, 2}));
  op.concat = Dim{1};
  EXPECT_EQ(op.infer({over_ab({3, 8})})[0], over_ab({3, 8}));
}

TEST(all_to_all, in_groups_counts_the_devices_of_one) {
  AllToAll op{{a, b}, Dim{1}, Dim{0}, Stacking::tiled, {{0, 2}, {3, 1}}};
  EXPECT_EQ(op.infer({over_ab({3, 8})})[0], over_ab({6, 4}));
}

TEST(all_to_all, is_digits_of_the_axes) {
  EXPECT_EQ(view({{a}, Dim{0}, Dim{1}}, Type(DType::f32, {2, 3}).with(a, varying)),
            "3: d1 > d0, 2: a > d1, 2: d0 > a");
  EXPECT_EQ(view({{b, a}, Dim{1}, Dim{0}, Stacking::tiled}, over_ab({3, 8})),
            "3: d0 > d0, 2: d1 > d1, 2: b > d0*6, 2: d1*4 > b, 2: a > d0*3, 2: d1*2 > a");
}

TEST(all_to_all, in_groups_takes_pieces_in_their_order) {
  AllToAll op{{a, b}, Dim{0}, Dim{0}, Stacking::tiled, {{0, 2}, {3, 1}}};
  kernel::Shuffle shuffle = std::get<kernel::Shuffle>(kernel_of(op, {over_ab({4})}));
  ASSERT_EQ(shuffle.pieces.size(), 16U);
  // Device 2 (a=0, b=1) is position 1: the second of its group, after position 3, devices 6 and 7.
  EXPECT_EQ(shuffle.pieces[4].devices, std::vector<int>{6});
  EXPECT_EQ(shuffle.pieces[5].devices, std::vector<int>{2});
  EXPECT_EQ(shuffle.pieces[4].block, 1);
}

TEST(all_to_all, counts_negative_dims_from_the_end) {
  EXPECT_EQ(program_text({over_ab({3, 4})},
                         [](const Arrays& in) {
                           return all_to_all(in[0], Axes{a, b}, {.split = -1, .concat = -2});
                         }),
            "program(%0: f32[3,4]{V:a, V:b}) {\n"
            "  %1: f32[4,3]{V:a, V:b} = all_to_all{axes=('a', 'b'), split=1, concat=0, stacking=new_dim} %0\n"
            "  return %1\n}\n");
}

TEST(all_to_all, is_pswapaxes_where_both_dims_are_one) {
  EXPECT_EQ(program_text({over_ab({3, 4})}, [](const Arrays& in) { return pswapaxes(in[0], Axes{a, b}, 1); }),
            "program(%0: f32[3,4]{V:a, V:b}) {\n"
            "  %1: f32[3,4]{V:a, V:b} = all_to_all{axes=('a', 'b'), split=1, concat=1, stacking=new_dim} %0\n"
            "  return %1\n}\n");
}

TEST(all_to_all, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(AllToAll::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
