// SPDX-License-Identifier: Apache-2.0
// How processes divide a mesh.
#include "tutti/devices/processes.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"data", 4}, {"model", 2}});

std::string box_of(const Processes& processes) { return to_string(processes.box()); }

TEST(processes, divide_the_slowest_axes_first) {
  EXPECT_EQ(box_of(Processes::of(mesh, 1, 0)), "data=4,model=2");
  EXPECT_EQ(box_of(Processes::of(mesh, 2, 0)), "data=2,model=2");
  EXPECT_EQ(box_of(Processes::of(mesh, 4, 3)), "data=1,model=2");
  EXPECT_EQ(box_of(Processes::of(mesh, 8, 5)), "data=1,model=1");
  EXPECT_EQ(box_of(Processes::of(mesh, 2, 1, {{"model", 2}})), "data=4,model=1");
}

TEST(processes, are_numbered_row_major) {
  const Processes third = Processes::of(mesh, 8, 5);
  EXPECT_EQ(third.at(0), 2);
  EXPECT_EQ(third.at(1), 1);
  EXPECT_EQ(third.first(0), 2);
  EXPECT_EQ(third.number({0, 1}), 1);
  EXPECT_EQ(third.number({3, 0}), 6);
  const Processes half = Processes::of(mesh, 2, 1);
  EXPECT_EQ(half.first(0), 2);
  EXPECT_EQ(half.first(1), 0);
  EXPECT_EQ(half.places(), (std::vector<std::vector<int>>{{0, 0}, {1, 0}}));
}

TEST(processes, keep_their_axes_and_their_numbers_where_axes_are_left_out) {
  const Processes all = Processes::of(mesh, 8, 5), left = all.without({mesh.axes()[0]});
  EXPECT_EQ(all.box().axes(), mesh.axes());  // by their ids
  EXPECT_EQ(left.whole(), mesh.without({mesh.axes()[0]}));
  EXPECT_EQ(left.number({0}), 4);
  EXPECT_EQ(left.number({1}), 5);
  EXPECT_FALSE(all.without(mesh.axes()).is_divided());
}

TEST(processes, of_a_box_do_not_change_the_mesh_of_all) {
  const Mesh box = Processes::of(mesh, 2, 0).box();
  EXPECT_EQ(Mesh::of(mesh.axes()), mesh);
  EXPECT_EQ(Mesh::of(box.axes()), box);
  EXPECT_EQ(box.without({box.axes()[1]}).devices(), 2);
}

TEST(processes, are_refused_if_they_do_not_divide_the_mesh) {
  expect_refused([] { Processes::of(mesh, 3, 0); },
                 "R004 3 processes do not divide the mesh data=4,model=2; start 1, 2, 4, 8");
  expect_refused([] { Processes::of(mesh, 2, 0, {{"rows", 2}}); },
                 "T001 split: there is no axis 'rows', the mesh is data=4,model=2; use one of its axes");
  expect_refused([] { Processes::of(mesh, 3, 0, {{"data", 3}}); },
                 "R004 split: 3 processes do not divide the axis 'data' of size 4");
  expect_refused([] { Processes::of(mesh, 2, 0, {{"data", 4}}); },
                 "R004 split: there are 4 boxes, and 2 processes; start 4, or change the split");
  expect_refused([] { Processes::of(mesh, 4, 0, {{"data", 2}, {"data", 2}}); },
                 "R004 split: the axis 'data' is named twice");
}

}  // namespace
}  // namespace tutti
