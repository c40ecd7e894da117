// SPDX-License-Identifier: Apache-2.0
// Groups and pairs as Shardy's tests of its lowering have them, and those of ours that differ.
#include "tutti/plan/moves/groups.hpp"

#include <gtest/gtest.h>

#include "tests/support/shardings.hpp"

namespace tutti {
namespace {

DeviceGroups groups(std::string_view mesh, std::string_view from, std::string_view to, int rank = 2) {
  const Sharding before = sharding_of(mesh_of(mesh), rank, from),
                 after = sharding_of(mesh_of(mesh), rank, to);
  return groups_along(before.mesh, step_axes(before, after));
}
DeviceGroups pairs(std::string_view mesh, std::string_view from, std::string_view to) {
  return permutation_pairs(sharding_of(mesh_of(mesh), 2, from), sharding_of(mesh_of(mesh), 2, to));
}

TEST(plan_groups, of_a_gather_are_in_the_order_of_the_axes_that_it_takes) {
  EXPECT_EQ(groups("x2 y4", "[y][]", ""), (DeviceGroups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(groups("x2 y4 z2", "[xy][]", ""),
            (DeviceGroups{{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}}));
  EXPECT_EQ(groups("x2 y4 z2", "[yx][]", ""),
            (DeviceGroups{{0, 8, 2, 10, 4, 12, 6, 14}, {1, 9, 3, 11, 5, 13, 7, 15}}));
}

TEST(plan_groups, of_an_exchange_are_in_the_order_of_the_dims_that_gain) {
  EXPECT_EQ(groups("x2 y4", "[][x][y][]", "[y][][][x]", 4), (DeviceGroups{{0, 4, 1, 5, 2, 6, 3, 7}}));
}

TEST(plan_groups, of_a_scattered_sum_are_in_the_order_of_the_dims_that_gain) {
  EXPECT_EQ(groups("x2 y2 z2", "[][]{xz}", "[z][x]"), (DeviceGroups{{0, 4, 1, 5}, {2, 6, 3, 7}}));
}

TEST(plan_groups, of_a_sum_are_in_the_order_of_the_mesh) {
  EXPECT_EQ(groups("x2 y2", "[][]{xy}", ""), (DeviceGroups{{0, 1, 2, 3}}));
}

TEST(plan_groups, of_two_axes_that_change_places_have_the_blocks_in_order) {
  EXPECT_EQ(pairs("x2 y4", "[][xy]", "[][yx]"),
            (DeviceGroups{{1, 4}, {2, 1}, {3, 5}, {4, 2}, {5, 6}, {6, 3}}));
}

// In the order of devices six blocks would move: Shardy pairs replicas so.
TEST(plan_groups, of_a_permutation_leave_equal_blocks_in_place) {
  EXPECT_EQ(pairs("x2 y2 z2", "[][x]", "[][z]"), (DeviceGroups{{1, 4}, {3, 6}, {4, 1}, {6, 3}}));
}

// Devices with w = x and z = y hold their block already. Paired in ascending order two of them would receive
// it.
TEST(plan_groups, of_a_permutation_leave_blocks_in_place_that_several_devices_hold) {
  const DeviceGroups found = pairs("x2 y2 z2 w2", "[x][y]", "[w][z]");
  EXPECT_EQ(found.size(), 12U);
  for (const std::vector<int>& pair : found)
    for (int kept : {0b0000, 0b0110, 0b1001, 0b1111}) EXPECT_NE(pair[1], kept) << pair[0];
}

TEST(plan_groups, of_a_permutation_stay_at_one_position_of_axes_that_do_not_move) {
  for (const std::vector<int>& pair : pairs("x2 y3 z2", "[x][]", "[z][]"))
    EXPECT_EQ(pair[0] / 2 % 3, pair[1] / 2 % 3) << pair[0] << " to " << pair[1];
}

TEST(plan_groups, are_not_in_need_of_all_pairs_of_devices) {
  const DeviceGroups found = groups("x64 y64", "[x][]", "[][x]");
  EXPECT_EQ(found.size(), 64U);
  EXPECT_EQ(found[1][1], 65);
}

}  // namespace
}  // namespace tutti
