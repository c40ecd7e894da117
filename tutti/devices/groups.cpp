// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/groups.hpp"

#include <numeric>

#include <fmt/ranges.h>

#include "tutti/base/require.hpp"

namespace tutti {

void require_groups(const Groups& groups, const Axes& axes, GroupSizes sizes) {
  if (groups.empty()) return;
  int n = joint_size(axes);
  std::vector<bool> named(static_cast<std::size_t>(n));
  for (const std::vector<int>& group : groups)
    for (int position : group) {
      require(position >= 0 && position < n, Code::groups, "groups {} name device {}, but {} has {}",
              to_string(groups), position, to_string(axes), devices_of(n));
      auto index = static_cast<std::size_t>(position);
      require(!named[index], Code::groups, "groups {} name device {} twice; name each device along {} once",
              to_string(groups), position, to_string(axes));
      named[index] = true;
    }
  for (int position = 0; position < n; ++position)
    require(named[static_cast<std::size_t>(position)], Code::groups,
            "groups {} leave out device {} along {}; name each device once, if need be in a group of its own",
            to_string(groups), position, to_string(axes));
  for (const std::vector<int>& group : groups) {
    require(!group.empty(), Code::groups, "groups {} have one without devices; leave it out",
            to_string(groups));
    require(sizes == GroupSizes::any || group.size() == groups[0].size(), Code::groups,
            "groups {} have {} and {} devices, so the results would differ in shape; make them equal in size",
            to_string(groups), groups[0].size(), group.size());
  }
}

Groups written_out(const Groups& groups, const Axes& axes) {
  if (!groups.empty()) return groups;
  std::vector<int> all(static_cast<std::size_t>(joint_size(axes)));
  std::iota(all.begin(), all.end(), 0);
  return {all};
}

int group_size(const Groups& groups, const Axes& axes) {
  return groups.empty() ? joint_size(axes) : static_cast<int>(groups[0].size());
}

std::vector<PlaceInGroup> places_in(const Groups& groups) {
  std::size_t n = 0;
  for (const std::vector<int>& group : groups) n += group.size();
  std::vector<PlaceInGroup> places(n);
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (std::size_t place = 0; place < groups[group].size(); ++place)
      places[static_cast<std::size_t>(groups[group][place])] = {static_cast<int>(group),
                                                                static_cast<int>(place)};
  return places;
}

Peers peers_of(const Layout& layout, const Axes& axes, const Groups& groups, int device) {
  Groups all = written_out(groups, axes);
  PlaceInGroup own = places_in(all)[static_cast<std::size_t>(layout.position(axes, device))];
  Peers peers{{}, own.place};
  for (int position : all[static_cast<std::size_t>(own.group)])
    peers.devices.push_back(layout.peer(axes, device, position));
  return peers;
}

std::string to_string(const Groups& groups) { return fmt::format("{}", groups); }
std::string to_string(const Pairs& pairs) { return fmt::format("{}", pairs); }

}  // namespace tutti
