// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tutti/devices/traffic.hpp"
#include "tutti/plan/request/totals.hpp"
#include "tutti/plan/search/layout_state.hpp"

namespace tutti {

/// A step to another state.
struct PlanEdge {
  int after;  // the number of that state
  StepKind kind;
  std::uint32_t axes;     // a bit for each axis along which senders and receivers differ
  int peers;              // that a device receives from
  std::int64_t received;  // elements, by the device that receives the most

  bool communicates() const { return kind != StepKind::slice && kind != StepKind::mask; }
};

/// The states of one value on a mesh as numbers, and the steps from each to others. States are numbered when
/// they are first met; the steps from a state are found when they are first asked for.
/// Steps: a slice by several free axes; an all_gather of the last axes of any dims; an exchange, in which the
/// last axes of some dims go to the ends of dims that lose none; a permute between states whose dims have the
/// same numbers of parts; psum and psum_scatter over some unreduced axes; a mask, which makes one free or
/// last axis unreduced, but only along `may_be_masked`: nobody sends zeros to be added.
/// All extents must divide evenly in every state. Sizes of axes are at least 2.
class StateGraph {
 public:
  StateGraph(PlanSpace space, std::vector<int> may_be_masked);

  int number(const PlanState& state);
  PlanState state(int number) const;
  /// The elements of one device's block.
  std::int64_t block(int number) const { return blocks_[static_cast<std::size_t>(number)]; }
  /// Elements that some device must receive, at least, on any way from one state to another: it lacks them.
  std::int64_t least_received(int number, int to) const;
  /// Valid until the next call.
  std::span<const PlanEdge> steps_from(int number);
  int states() const { return static_cast<int>(places_.size()); }
  const PlanSpace& space() const { return space_; }

 private:
  static constexpr std::size_t most_axes = 16;  // of size 2 at least, on 65,536 devices
  using Places = std::array<std::uint16_t, most_axes>;
  class Steps;

  int number(const Places& places);
  bool is_same(const Places& a, const Places& b) const;
  void grow_table();

  PlanSpace space_;
  std::vector<int> may_be_masked_;
  std::vector<Places> places_;
  std::vector<std::int64_t> blocks_;
  std::vector<std::vector<PlanEdge>> steps_;
  std::vector<bool> has_steps_;
  std::vector<int> table_;  // open addressing: numbers of states, -1 where none
};

}  // namespace tutti
