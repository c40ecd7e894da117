// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/groups.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"i", 2}, {"j", 2}});
const Axis i = mesh.axes()[0], j = mesh.axes()[1];

TEST(groups, that_are_not_named_are_one_of_all_positions_in_order) {
  EXPECT_EQ(written_out({}, {i, j}), (Groups{{0, 1, 2, 3}}));
  EXPECT_EQ(group_size({}, {i, j}), 4);
}

TEST(groups, of_pairs_have_two_devices) { EXPECT_EQ(group_size({{0, 2}, {3, 1}}, {i, j}), 2); }

TEST(groups, say_where_each_position_stands) {
  std::vector<PlaceInGroup> places = places_in({{0, 2}, {3, 1}});
  ASSERT_EQ(places.size(), 4U);
  EXPECT_EQ(places[1].group, 1);
  EXPECT_EQ(places[1].place, 1);
  EXPECT_EQ(places[2].group, 0);
  EXPECT_EQ(places[2].place, 1);
}

TEST(groups, find_the_devices_by_the_order_of_the_axes) {
  Layout layout(mesh, Storage::per_device, {}, {});
  // Along (j, i) device 1 (i=0, j=1) stands at position 2, in the first group.
  const Axes axes{j, i};
  const Groups groups{{0, 2}, {3, 1}};
  const Peers peers = PeerFinder(layout, axes, groups).of(1);
  EXPECT_EQ(peers.devices, (std::vector<int>{0, 1}));
  EXPECT_EQ(peers.place, 1);
}

TEST(groups, name_every_position_once) {
  auto refusal = [](const Groups& groups, GroupSizes sizes) {
    return refusal_of([&] { require_groups(groups, {i, j}, sizes); });
  };
  EXPECT_EQ(refusal({{0, 2}, {3, 1}}, GroupSizes::equal), "accepted");
  EXPECT_EQ(refusal({{0}, {3, 1, 2}}, GroupSizes::any), "accepted");
  EXPECT_EQ(refusal({{0, 1}, {1, 3}}, GroupSizes::equal),
            "T009: groups [[0, 1], [1, 3]] name device 1 twice; name each device along ('i', 'j') once");
  EXPECT_EQ(refusal({{0, 1}, {3}}, GroupSizes::any), "T009: groups [[0, 1], [3]] leave out device 2 along "
                                                     "('i', 'j'); name each device once, if need be in a "
                                                     "group of its own");
  EXPECT_EQ(refusal({{0, 1}, {2, 4}}, GroupSizes::equal),
            "T009: groups [[0, 1], [2, 4]] name device 4, but ('i', 'j') has devices 0 to 3");
  EXPECT_EQ(refusal({{0, 1}, {2, -1}}, GroupSizes::equal),
            "T009: groups [[0, 1], [2, -1]] name device -1, but ('i', 'j') has devices 0 to 3");
  EXPECT_EQ(
      refusal({{0}, {3, 1, 2}}, GroupSizes::equal),
      "T009: groups [[0], [3, 1, 2]] have 1 and 3 devices, so the results would differ in shape; make them "
      "equal in size");
  EXPECT_EQ(refusal({{0, 1, 2, 3}, {}}, GroupSizes::any),
            "T009: groups [[0, 1, 2, 3], []] have one without devices; leave it out");
}

}  // namespace
}  // namespace tutti
