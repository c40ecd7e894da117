// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "tutti/base/inside.hpp"

namespace tutti {

/// Where a global value stands between two steps of a plan. Axes are numbers into PlanSpace::axes.
struct PlanState {
  std::vector<std::vector<int>> dims;  // of each dim: the axes that split it, the slowest first
  std::vector<int> unreduced;          // ascending

  auto operator<=>(const PlanState&) const = default;
};

/// The facts that all states of a search share.
struct PlanSpace {
  std::vector<std::int64_t> axes;   // sizes
  std::vector<std::int64_t> shape;  // of the whole

  std::int64_t joint_size(const std::vector<int>& some) const;
  /// The elements of one device's block; a dim of n over s devices has blocks of ceil(n/s).
  std::int64_t block_elements(const PlanState& state) const;
};

}  // namespace tutti
