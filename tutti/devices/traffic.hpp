// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

#include "tutti/devices/groups.hpp"

namespace tutti::ops {

/// The data that devices exchange in one op: the least that its result needs, whatever the algorithm.
struct Traffic {
  /// Bytes of the device that sends, or receives, the most. An exchange says what a device sends on average.
  std::int64_t sent = 0, received = 0;
  /// Who exchanges data: positions along the axes of communicates(), row-major. No groups: all positions are
  /// one group. Pairs: source and target, of a permute.
  std::variant<Groups, Pairs> peers = Groups{};
  /// The values decide. The bytes are then the most that there can be.
  bool depends_on_values = false;

  bool operator==(const Traffic&) const = default;
};

/// Adds the bytes. The groups are dropped.
Traffic operator+(const Traffic& a, const Traffic& b);
/// The larger bytes of both. The groups are dropped.
Traffic larger(const Traffic& a, const Traffic& b);
/// The elements of a block that the other n - 1 devices hold; rounded up if n does not divide it.
constexpr std::int64_t share_of_others(std::int64_t block, std::int64_t n) { return block - block / n; }

}  // namespace tutti::ops
