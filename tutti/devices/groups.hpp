// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/devices/layout.hpp"

namespace tutti {

/// Who sends to whom: positions along axes, source first.
using Pairs = std::vector<std::pair<int, int>>;

}  // namespace tutti

namespace tutti::ops {

/// Which devices along some axes communicate with each other: positions along the axes together, row-major in
/// the order given; every position in one group. The order in a group says who stands where in it, the order
/// of the groups nothing. Empty: one group of all, in order.
using Groups = std::vector<std::vector<int>>;

/// Whether groups may differ in size.
enum class GroupSizes { equal, any };
/// Throws T009 if a position is named twice, missing or out of range, and if sizes differ that must be equal.
void require_groups(const Groups& groups, const Axes& axes, GroupSizes sizes);

/// The same with the one group of all written out.
Groups written_out(const Groups& groups, const Axes& axes);
/// The devices of a group; of the first, if their sizes differ.
int group_size(const Groups& groups, const Axes& axes);

/// Where one position, or one device, stands: in which group, and where in that.
struct PlaceInGroup {
  int group, place;
};
/// The place of every position, in ascending order. Groups are written out.
std::vector<PlaceInGroup> places_in(const Groups& groups);

/// The devices of the group that `device` is in, in its order, and where `device` stands in it.
struct Peers {
  std::vector<int> devices;
  int place;
};
/// Finds the peers of each device. Groups are written out, and outlive this.
class PeerFinder {
 public:
  /// Throws R003 where require_plannable does.
  PeerFinder(const Layout& layout, const Axes& axes, const Groups& groups);
  /// The peers of a device, and its place among them.
  Peers of(int device) const;

 private:
  const Layout& layout_;
  const Axes& axes_;
  const Groups& groups_;
  std::vector<PlaceInGroup> places_;
};

/// "[[0, 2], [3, 1]]", "[(0, 1), (1, 2)]".
std::string to_string(const Groups& groups);
std::string to_string(const Pairs& pairs);

}  // namespace tutti::ops

namespace tutti::internal {

/// A plan lists every source of every result of a collective that has no regular pattern. Throws R003 if
/// these are more than 2^25, which takes GiB of memory; a mesh of 65,536 devices can ask for 2^32.
void require_plannable(std::int64_t sources);

/// For errors: the beginning of a long list.
std::string shortened(std::string list);

}  // namespace tutti::internal
