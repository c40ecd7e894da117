// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/block.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

using Numbers = std::vector<std::int64_t>;

const Mesh mesh({{"x", 2}, {"y", 2}}), line({{"x", 4}});
const Axis &x = mesh.axes()[0], &y = mesh.axes()[1], &of_four = line.axes()[0];

Sharding over(std::vector<Axes> dims) { return {mesh, std::move(dims), {}, {}}; }
Sharding over_line(std::vector<Axes> dims) { return {line, std::move(dims), {}, {}}; }

// The begins of one dim, by device.
Numbers begins(const Sharding& sharding, const Shape& shape, std::size_t dim) {
  Numbers found;
  for (int device = 0; device < sharding.mesh.devices(); ++device)
    found.push_back(block(device, sharding, shape).begin[dim]);
  return found;
}
Numbers sizes(const Sharding& sharding, const Shape& shape, std::size_t dim) {
  Numbers found;
  for (int device = 0; device < sharding.mesh.devices(); ++device) {
    const Box box = block(device, sharding, shape);
    found.push_back(box.end[dim] - box.begin[dim]);
  }
  return found;
}
// The elements of each device's block by `to` that are not in its block by `from`.
Numbers missing(const Sharding& from, const Sharding& to, const Shape& shape) {
  Numbers found;
  for (int device = 0; device < from.mesh.devices(); ++device) {
    const Box has = block(device, from, shape), wants = block(device, to, shape);
    found.push_back(wants.elements() - intersection(has, wants).elements());
  }
  return found;
}

TEST(block, is_counted_by_the_joint_position_of_all_axes_of_a_dim) {
  EXPECT_EQ(begins(over({{x, y}}), Shape{8}, 0), (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(begins(over({{y, x}}), Shape{8}, 0), (Numbers{0, 4, 2, 6}));
}

TEST(block, is_shorter_or_empty_at_the_end_of_a_dim_that_does_not_divide) {
  EXPECT_EQ(sizes(over({{x, y}}), Shape{10}, 0),
            (Numbers{3, 3, 3, 1}));  // not 3, 2, 3, 2: the axes are one split
  EXPECT_EQ(begins(over({{x, y}}), Shape{10}, 0), (Numbers{0, 3, 6, 9}));
  EXPECT_EQ(sizes(over({{y, x}}), Shape{10}, 0), (Numbers{3, 3, 3, 1}));
  EXPECT_EQ(begins(over({{y, x}}), Shape{10}, 0), (Numbers{0, 6, 3, 9}));
  EXPECT_EQ(sizes(over({{x, y}}), Shape{3}, 0), (Numbers{1, 1, 1, 0}));
  EXPECT_EQ(sizes(over({{x, y}}), Shape{5}, 0), (Numbers{2, 2, 1, 0}));
  EXPECT_EQ(sizes(over({{x, y}}), Shape{0}, 0), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(sizes(over({{x}}), Shape{10}, 0), (Numbers{5, 5, 5, 5}));
}

TEST(block, of_ten_rows_on_four_devices_is_not_all_rows_u1) {
  const Shape shape{10, 8};
  EXPECT_EQ(sizes(over_line({{of_four}, {}}), shape, 0), (Numbers{3, 3, 3, 1}));
  EXPECT_EQ(sizes(over_line({{of_four}, {}}), shape, 1), (Numbers{8, 8, 8, 8}));
  EXPECT_EQ(missing(over_line({{of_four}, {}}), over_line({{}, {}}), shape), (Numbers{56, 56, 56, 72}));
}

TEST(block, may_be_empty_after_a_change_of_dims_u2) {
  const Shape shape{10, 6};
  EXPECT_EQ(sizes(over_line({{of_four}, {}}), shape, 0), (Numbers{3, 3, 3, 1}));
  EXPECT_EQ(sizes(over_line({{}, {of_four}}), shape, 1), (Numbers{2, 2, 2, 0}));
  EXPECT_EQ(missing(over_line({{of_four}, {}}), over_line({{}, {of_four}}), shape), (Numbers{14, 14, 14, 0}));
}

TEST(block, of_the_last_of_four_devices_is_empty_for_three_rows_u3) {
  const Shape shape{3};
  EXPECT_EQ(sizes(over_line({{of_four}}), shape, 0), (Numbers{1, 1, 1, 0}));
  EXPECT_EQ(begins(over_line({{of_four}}), shape, 0), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(missing(over_line({{}}), over_line({{of_four}}), shape), (Numbers{0, 0, 0, 0}));
}

TEST(block, of_a_finer_split_may_lie_in_two_coarser_blocks_u4) {
  const Shape shape{10, 8};
  EXPECT_EQ(sizes(over({{x}, {}}), shape, 0), (Numbers{5, 5, 5, 5}));
  EXPECT_EQ(sizes(over({{x, y}, {}}), shape, 0), (Numbers{3, 3, 3, 1}));
  EXPECT_EQ(missing(over({{x}, {}}), over({{x, y}, {}}), shape), (Numbers{0, 8, 0, 0}));
}

TEST(block, of_a_finer_split_lies_in_the_coarser_one_if_sizes_are_multiples_u5) {
  const Shape shape{11, 8};
  EXPECT_EQ(sizes(over({{x}, {}}), shape, 0), (Numbers{6, 6, 5, 5}));
  EXPECT_EQ(sizes(over({{x, y}, {}}), shape, 0), (Numbers{3, 3, 3, 2}));
  EXPECT_EQ(missing(over({{x}, {}}), over({{x, y}, {}}), shape), (Numbers{0, 0, 0, 0}));
}

TEST(block, is_all_of_a_dim_that_no_axis_splits) {
  EXPECT_EQ(block(3, over({{}, {x}}), Shape{4, 6}), (Box{{0, 3}, {4, 6}}));
  EXPECT_EQ(block(2, over({}), Shape{}), (Box{{}, {}}));
}

TEST(block, is_that_of_the_dims_whatever_is_unreduced_or_reduced) {
  Sharding terms = over({{x}});
  terms.unreduced = {y};
  EXPECT_EQ(begins(terms, Shape{8}, 0), begins(over({{x}}), Shape{8}, 0));
}

TEST(box, meets_another_in_a_box) {
  EXPECT_EQ(intersection({{0, 2}, {4, 6}}, {{2, 4}, {8, 8}}), (Box{{2, 4}, {4, 6}}));
  EXPECT_EQ(intersection({{0}, {2}}, {{5}, {8}}).elements(), 0);
}

}  // namespace
}  // namespace tutti
