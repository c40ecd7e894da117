// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/mesh.hpp"
#include "tutti/base/inside.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tutti/base/error.hpp"

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

TEST(mesh, with_devices_of_its_own_is_another_mesh) {
  const Mesh plain({{"x", 2}, {"y", 2}}), other({{"x", 2}, {"y", 2}}, {.devices = {2, 0, 7, 5}});
  EXPECT_NE(plain, other);
  EXPECT_FALSE(contains(plain.axes(), other.axes()[0]));
  EXPECT_EQ(other, Mesh({{"x", 2}, {"y", 2}}, {.devices = {2, 0, 7, 5}}));
  EXPECT_EQ(other, Mesh::of(other.axes()));
  EXPECT_NE(other, Mesh({{"x", 2}, {"y", 2}}, {.devices = {0, 2, 7, 5}}));
  EXPECT_EQ(other.device_id(2), 7);
  EXPECT_EQ(plain.device_id(2), 2);
  EXPECT_EQ(to_string(other), "x=2,y=2 on devices 2,0,7,5");
}

TEST(mesh, of_no_axes_is_one_device_whatever_other_meshes_there_are) {
  const Mesh other({}, {.devices = {3}});
  EXPECT_EQ(to_string(other), "device 3");
  EXPECT_NE(other, Mesh());
  EXPECT_EQ(Mesh::of({}), Mesh());
  const Mesh two({{"x", 2}});
  EXPECT_EQ(two.without(two.axes()), Mesh());
}

TEST(mesh, whose_devices_are_in_order_is_the_plain_one) {
  EXPECT_EQ(Mesh({{"x", 3}}, {.devices = {0, 1, 2}}), Mesh({{"x", 3}}));
}

TEST(mesh, refuses_devices_that_do_not_fit) {
  auto refused = [](std::vector<int> devices) {
    try {
      Mesh({{"x", 2}}, {.devices = std::move(devices)});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused({0}).find("a mesh of 2 devices has a list of 1; name one for each position"),
            std::string::npos);
  EXPECT_NE(refused({3, 3}).find("device 3 stands at two positions of the mesh"), std::string::npos);
  EXPECT_NE(refused({0, -1}).find("there is no device -1; use 0 to 65535"), std::string::npos);
}

TEST(mesh, knows_positions_along_several_axes_and_strides) {
  const Mesh mesh({{"x", 2}, {"y", 3}, {"z", 4}});
  const Axis x = mesh.axes()[0], y = mesh.axes()[1], z = mesh.axes()[2];
  EXPECT_EQ(mesh.position(17, {x, y, z}), 17);
  EXPECT_EQ(mesh.position(17, {z, x}), 3);  // 17 is x=1, y=1, z=1
  EXPECT_EQ(mesh.stride(x), 12);
  EXPECT_EQ(mesh.stride(z), 1);
}

}  // namespace
}  // namespace tutti
