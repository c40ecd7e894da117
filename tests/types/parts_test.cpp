// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/parts.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"x", 8}, {"y", 2}});

TEST(refined_mesh, has_the_same_devices_and_an_axis_for_each_part) {
  const Mesh fine = refined(mesh, {{2}, {}});
  EXPECT_EQ(to_string(fine), "x(1)2=2,x(2)4=4,y=2");
  EXPECT_EQ(fine.devices(), 16);
  for (int device = 0; device < 16; ++device) {
    EXPECT_EQ(fine.coordinate(device, fine.axes()[0]), mesh.coordinate(device, mesh.axes()[0]) / 4);
    EXPECT_EQ(fine.coordinate(device, fine.axes()[1]), mesh.coordinate(device, mesh.axes()[0]) % 4);
    EXPECT_EQ(fine.coordinate(device, fine.axes()[2]), mesh.coordinate(device, mesh.axes()[1]));
  }
  for (const Axis& axis : fine.axes()) EXPECT_FALSE(contains(mesh.axes(), axis)) << axis.name;
}

TEST(refined_mesh, keeps_devices_of_its_own) {
  const Mesh odd({{"x", 4}}, MeshOptions{.devices = {3, 1, 0, 2}});
  const Mesh fine = refined(odd, {{2}});
  for (int position = 0; position < 4; ++position)
    EXPECT_EQ(fine.device_id(position), odd.device_id(position));
}

TEST(refined_mesh, is_the_same_for_the_same_cuts_and_none_without) {
  EXPECT_EQ(refined(mesh, {{2}, {}}), refined(mesh, {{2}, {}}));
  EXPECT_FALSE(refined(mesh, {{2}, {}}) == refined(mesh, {{4}, {}}));
  EXPECT_EQ(refined(mesh, cuts_of_whole(mesh)), mesh);
}

TEST(refined_mesh, knows_the_mesh_that_was_cut_and_where) {
  const Mesh fine = refined(mesh, {{2, 4}, {}});
  EXPECT_EQ(fine.whole(), mesh);
  EXPECT_EQ(mesh.whole(), mesh);
  EXPECT_EQ(cuts_of(fine), (Cuts{{2, 4}, {}}));
  EXPECT_EQ(cuts_of(mesh), (Cuts{{}, {}}));
}

TEST(refined_mesh, alone_has_axes_with_brackets) {
  EXPECT_EQ(
      refusal_of([] { Mesh({{"x(1)2", 2}}); }),
      "T014: mesh: an axis cannot be called 'x(1)2': x(2)4 is a part of the axis x; take a name without "
      "brackets");
}

TEST(cuts, are_joined_if_they_divide_each_other) {
  EXPECT_EQ(joined(Cuts{{2}}, Cuts{{4}}), (Cuts{{2, 4}}));
  EXPECT_EQ(joined(Cuts{{2}, {}}, Cuts{{2}, {3}}), (Cuts{{2}, {3}}));
  EXPECT_EQ(joined(Cuts{{2}}, Cuts{{3}}), std::nullopt);
  EXPECT_EQ(joined(Cuts{{4}}, Cuts{{6}}), std::nullopt);
}

Sharding on(const Mesh& fine, std::vector<Axes> dims, Axes unreduced = {}) {
  return {fine, std::move(dims), std::move(unreduced), {}};
}

TEST(sharding_on_a_finer_mesh, gives_each_device_the_same_block) {
  const Axes& axes = mesh.axes();
  const Sharding coarse = on(mesh, {{axes[1], axes[0]}, {}});
  const Sharding fine = refined(coarse, refined(mesh, {{2}, {}}));
  EXPECT_EQ(fine.dims[0].size(), 3U);
  for (int device = 0; device < 16; ++device)
    EXPECT_EQ(block(device, fine, {32, 4}), block(device, coarse, {32, 4}));
  EXPECT_EQ(refined(coarse, mesh), coarse);
}

TEST(sharding_on_the_coarsest_mesh, is_cut_only_where_its_parts_begin_or_end) {
  const Mesh fine = refined(mesh, {{2, 4}, {}});
  const Axis a = fine.axes()[0], b = fine.axes()[1], c = fine.axes()[2], y = fine.axes()[3];
  EXPECT_EQ(on_coarsest_mesh(on(fine, {{a, b, c}, {y}})), on(mesh, {{mesh.axes()[0]}, {mesh.axes()[1]}}));
  EXPECT_EQ(cuts_of(on_coarsest_mesh(on(fine, {{b, c}, {a}})).mesh), (Cuts{{2}, {}}));
  EXPECT_EQ(on_coarsest_mesh(on(fine, {{a}, {c}}, {b})), on(fine, {{a}, {c}}, {b}));
}

TEST(sharding_text, merges_parts_that_follow_each_other) {
  const Mesh fine = refined(mesh, {{2, 4}, {}});
  const Axis a = fine.axes()[0], b = fine.axes()[1], c = fine.axes()[2], y = fine.axes()[3];
  EXPECT_EQ(to_string(on(fine, {{a, b, c}})), "P(x)");
  EXPECT_EQ(to_string(on(fine, {{b, c}, {a}})), "P(x(2)4, x(1)2)");
  EXPECT_EQ(to_string(on(fine, {{a, b}, {c, y}})), "P(x(1)4, (x(4)2, y))");
  EXPECT_EQ(to_string(on(fine, {{b, a}})), "P((x(2)2, x(1)2))");
  EXPECT_EQ(to_string(on(fine, {{a, c}}, {y, b})), "P((x(1)2, x(4)2))+U(y, x(2)2)");
}

}  // namespace
}  // namespace tutti
