// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tutti {
namespace {

TEST(mesh, shares_its_axes_with_equal_meshes) {
  Mesh one({{"data", 4}, {"model", 2}}), other({{"data", 4}, {"model", 2}});
  EXPECT_EQ(one, other);
  EXPECT_EQ(&one.axes(), &other.axes());
}

TEST(mesh, has_other_axes_than_meshes_of_other_names_sizes_or_order) {
  Mesh mesh({{"data", 4}, {"model", 2}});
  for (const Mesh& other : {Mesh({{"model", 2}, {"data", 4}}), Mesh({{"data", 2}, {"model", 2}}),
                            Mesh({{"rows", 4}, {"model", 2}}), Mesh({{"data", 4}})}) {
    EXPECT_NE(mesh, other);
    for (const Axis& axis : other.axes()) EXPECT_FALSE(contains(mesh.axes(), axis)) << to_string(other);
  }
}

TEST(mesh, numbers_its_axes_in_order) {
  Mesh mesh({{"z", 2}, {"y", 3}, {"x", 4}});
  EXPECT_TRUE(std::ranges::is_sorted(mesh.axes()));
  EXPECT_EQ(mesh.axes()[0].name, "z");
  EXPECT_EQ(mesh.axes()[2].size, 4);
}

TEST(mesh, axes_come_before_those_of_vmaps_and_these_in_the_order_of_binding) {
  Axis outer = fresh_axis("rows", 5), inner = fresh_axis("rows", 5);
  Mesh later({{"made_later", 2}});
  EXPECT_LT(later.axes()[0], outer);
  EXPECT_LT(outer, inner);
}

TEST(mesh, numbers_devices_row_major_with_the_last_axis_fastest) {
  Mesh mesh({{"a", 2}, {"b", 3}});
  EXPECT_EQ(mesh.devices(), 6);
  std::vector<int> a, b;
  for (int device = 0; device < 6; ++device) {
    a.push_back(mesh.coordinate(device, mesh.axes()[0]));
    b.push_back(mesh.coordinate(device, mesh.axes()[1]));
  }
  EXPECT_EQ(a, (std::vector<int>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(b, (std::vector<int>{0, 1, 2, 0, 1, 2}));
}

TEST(mesh, without_axes_is_one_device) {
  EXPECT_EQ(Mesh().devices(), 1);
  EXPECT_EQ(Mesh(), parse_mesh(""));
  EXPECT_EQ(to_string(Mesh()), "");
}

TEST(mesh, is_read_back_from_its_text) {
  for (const Mesh& mesh : {Mesh({{"data", 4}, {"model", 2}}), Mesh({{"x", 1}}), Mesh({{"x", 65536}})})
    EXPECT_EQ(parse_mesh(to_string(mesh)), mesh) << to_string(mesh);
  EXPECT_EQ(to_string(Mesh({{"data", 4}, {"model", 2}})), "data=4,model=2");
}

TEST(axes, print_as_a_tuple_unless_there_is_one) {
  Mesh mesh({{"data", 4}, {"model", 2}});
  EXPECT_EQ(to_string(mesh.axes()), "('data', 'model')");
  EXPECT_EQ(to_string(Axes{mesh.axes()[1]}), "'model'");
  EXPECT_EQ(to_string(Axes{}), "()");
}

TEST(axes, have_a_joint_size_and_are_taken_away) {
  Mesh mesh({{"data", 4}, {"model", 2}});
  EXPECT_EQ(joint_size(mesh.axes()), 8);
  EXPECT_EQ(joint_size({}), 1);
  EXPECT_EQ(without(mesh.axes(), mesh.axes()[0]), Axes{mesh.axes()[1]});
  EXPECT_EQ(without(mesh.axes(), fresh_axis("data", 4)), mesh.axes());
}

}  // namespace
}  // namespace tutti
