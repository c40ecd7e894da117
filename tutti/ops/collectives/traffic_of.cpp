// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/traffic_of.hpp"

#include <algorithm>

namespace tutti {
namespace {

std::int64_t largest_group(const Axes& axes, const Groups& groups) {
  std::size_t largest = 0;
  for (const std::vector<int>& group : groups) largest = std::max(largest, group.size());
  return groups.empty() ? joint_size(axes) : static_cast<std::int64_t>(largest);
}

/// The bytes of a value without one of its n equal shares.
std::int64_t bytes_of_others(Type type, std::int64_t n) {
  return n < 2 ? 0
               : share_of_others(type.elements(), n) *
                     static_cast<std::int64_t>(bytes_per_element(type.dtype()));
}

Traffic both_ways(std::int64_t bytes, const Groups& groups) {
  return {.sent = bytes, .received = bytes, .peers = groups};
}

}  // namespace

Traffic sum_traffic(Type term, const Axes& axes, const Groups& groups) {
  const std::int64_t n = largest_group(axes, groups);
  const std::int64_t elements = n < 2 ? 0 : share_of_others(2 * term.elements(), n);
  return both_ways(elements * static_cast<std::int64_t>(bytes_per_element(term.dtype())), groups);
}

Traffic share_traffic(Type operand, const Axes& axes, const Groups& groups) {
  return both_ways(bytes_of_others(operand, largest_group(axes, groups)), groups);
}

Traffic gather_traffic(Type block, const Axes& axes, const Groups& groups) {
  const std::int64_t others = std::max<std::int64_t>(largest_group(axes, groups) - 1, 0);
  return both_ways(others * static_cast<std::int64_t>(block.bytes()), groups);
}

Traffic first_traffic(Type value, const Axes& axes) {
  return both_ways(joint_size(axes) > 1 ? static_cast<std::int64_t>(value.bytes()) : 0, {});
}

}  // namespace tutti
