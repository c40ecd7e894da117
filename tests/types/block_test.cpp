// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/block.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

const Mesh mesh({{"x", 2}, {"y", 2}});
const Axis &x = mesh.axes()[0], &y = mesh.axes()[1];

Sharding over(std::vector<Axes> dims) { return {mesh, std::move(dims), {}, {}}; }

std::vector<std::int64_t> sizes(const Sharding& sharding, const Shape& shape, int dim) {
  std::vector<std::int64_t> found;
  for (int device = 0; device < mesh.devices(); ++device) {
    Box box = block(device, sharding, shape);
    found.push_back(box.end[static_cast<std::size_t>(dim)] - box.begin[static_cast<std::size_t>(dim)]);
  }
  return found;
}

TEST(block, is_counted_by_the_joint_position_of_all_axes_of_a_dim) {
  EXPECT_EQ(block(1, over({{x, y}}), Shape{8}), (Box{{2}, {4}}));
  EXPECT_EQ(block(1, over({{y, x}}), Shape{8}), (Box{{4}, {6}}));
}

TEST(block, is_shorter_or_empty_at_the_end_of_a_dim_that_does_not_divide) {
  EXPECT_EQ(sizes(over({{x, y}}), Shape{10}, 0), (std::vector<std::int64_t>{3, 3, 3, 1}));
  EXPECT_EQ(sizes(over({{x, y}}), Shape{3}, 0), (std::vector<std::int64_t>{1, 1, 1, 0}));
  EXPECT_EQ(sizes(over({{x}}), Shape{10}, 0), (std::vector<std::int64_t>{5, 5, 5, 5}));
}

TEST(block, is_all_of_a_dim_that_no_axis_splits) {
  EXPECT_EQ(block(3, over({{}, {x}}), Shape{4, 6}), (Box{{0, 3}, {4, 6}}));
}

TEST(box, meets_another_in_a_box) {
  EXPECT_EQ(intersection({{0, 2}, {4, 6}}, {{2, 4}, {8, 8}}), (Box{{2, 4}, {4, 6}}));
  EXPECT_EQ(intersection({{0}, {2}}, {{5}, {8}}).elements(), 0);
}

}  // namespace
}  // namespace tutti
