// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti {

/// Where a global value stands between two steps of a plan. Axes are numbers into PlanSpace::axes.
struct PlanState {
  std::vector<std::vector<int>> dims;  // of each dim: the axes that split it, the slowest first
  std::vector<int> unreduced;          // ascending

  auto operator<=>(const PlanState&) const = default;
};

/// What all states of a search share.
struct PlanSpace {
  std::vector<std::int64_t> axes;   // sizes
  std::vector<std::int64_t> shape;  // of the whole

  std::int64_t joint_size(const std::vector<int>& some) const;
  /// The elements of one device's block; a dim of n over s devices has blocks of ceil(n/s).
  std::int64_t block_elements(const PlanState& state) const;
  /// True if all dims divide evenly.
  bool is_even(const PlanState& state) const;
  /// The axes that neither split a dim nor hold terms.
  std::vector<int> free_axes(const PlanState& state) const;
};

enum class StepKind { slice, gather, exchange, permute, all_reduce, reduce_scatter, mask };
std::string_view name(StepKind kind);

/// From one state to another. What a device receives at most, in elements.
struct PlanEdge {
  StepKind kind;
  PlanState after;
  std::int64_t received;
  int peers;
  bool communicates() const { return kind != StepKind::slice && kind != StepKind::mask; }
};

/// All single steps from `state` but permutations, of which there may be many: see permutations_of.
std::vector<PlanEdge> steps_from(const PlanState& state, const PlanSpace& space);
/// All states whose dims are split into as many parts: where a permutation of devices leads.
std::vector<PlanState> permutations_of(const PlanState& state, const PlanSpace& space);

}  // namespace tutti
