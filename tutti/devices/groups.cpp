// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/groups.hpp"
#include "tutti/base/inside.hpp"

#include <iterator>
#include <numeric>

#include <fmt/ranges.h>

#include "tutti/base/require.hpp"

namespace tutti {

void ops::require_groups(const Groups& groups, const Axes& axes, GroupSizes sizes) {
  if (groups.empty()) return;
  int n = joint_size(axes);
  std::vector<bool> named(static_cast<std::size_t>(n));
  // The text of thousands of groups is made only for an error.
  auto named_groups = [&] { return shortened(to_string(groups)); };
  for (const std::vector<int>& group : groups)
    for (int position : group) {
      if (position < 0 || position >= n)
        fail(Code::groups, "groups {} name device {}, but {} has {}", named_groups(), position,
             to_string(axes), devices_of(n));
      auto index = static_cast<std::size_t>(position);
      if (named[index])
        fail(Code::groups, "groups {} name device {} twice; name each device along {} once", named_groups(),
             position, to_string(axes));
      named[index] = true;
    }
  for (int position = 0; position < n; ++position)
    if (!named[static_cast<std::size_t>(position)])
      fail(Code::groups,
           "groups {} leave out device {} along {}; name each device once, if need be in a group of its own",
           named_groups(), position, to_string(axes));
  for (const std::vector<int>& group : groups) {
    if (group.empty()) fail(Code::groups, "groups {} have one without devices; leave it out", named_groups());
    if (sizes == GroupSizes::equal && group.size() != groups[0].size())
      fail(Code::groups,
           "groups {} have {} and {} devices, so the results would differ in shape; make them equal in size",
           named_groups(), groups[0].size(), group.size());
  }
}

Groups ops::written_out(const Groups& groups, const Axes& axes) {
  if (!groups.empty()) return groups;
  std::vector<int> all(static_cast<std::size_t>(joint_size(axes)));
  std::iota(all.begin(), all.end(), 0);
  return {all};
}

int ops::group_size(const Groups& groups, const Axes& axes) {
  return groups.empty() ? joint_size(axes) : static_cast<int>(groups[0].size());
}

std::vector<PlaceInGroup> ops::places_in(const Groups& groups) {
  std::size_t n = 0;
  for (const std::vector<int>& group : groups) n += group.size();
  std::vector<PlaceInGroup> places(n);
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (std::size_t place = 0; place < groups[group].size(); ++place)
      places[static_cast<std::size_t>(groups[group][place])] = {static_cast<int>(group),
                                                                static_cast<int>(place)};
  return places;
}

PeerFinder::PeerFinder(const Layout& layout, const Axes& axes, const Groups& groups)
    : layout_(layout), axes_(axes), groups_(groups), places_(places_in(groups)) {
  std::int64_t sources = 0;
  for (const std::vector<int>& group : groups) sources += std::ssize(group) * std::ssize(group);
  require_plannable(sources * (layout.devices() / joint_size(axes)));
}

Peers PeerFinder::of(int device) const {
  const PlaceInGroup own = places_[static_cast<std::size_t>(layout_.position(axes_, device))];
  Peers peers{{}, own.place};
  for (int position : groups_[static_cast<std::size_t>(own.group)])
    peers.devices.push_back(layout_.peer(axes_, device, position));
  return peers;
}

void internal::require_plannable(std::int64_t sources) {
  constexpr std::int64_t most = std::int64_t{1} << 25;  // about 100 bytes each, in the kernel, graph and code
  require(sources <= most, Code::memory,
          "no memory to plan it: its devices read {} values in all, one by one, and a plan lists up to {}; "
          "use smaller groups or fewer devices",
          sources, most);
}

std::string ops::to_string(const Groups& groups) { return fmt::format("{}", groups); }
std::string ops::to_string(const Pairs& pairs) { return fmt::format("{}", pairs); }

std::string internal::shortened(std::string list) {
  constexpr std::size_t longest = 400;
  if (list.size() <= longest) return list;
  list.resize(list.rfind(',', longest));
  return list + ", ..";
}

}  // namespace tutti
