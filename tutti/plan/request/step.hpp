// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/plan/request/request.hpp"

namespace tutti {

/// One step of a plan. Bytes are those of the device that sends, or receives, the most.
struct PlanStep {
  /// A move between two meshes: whole blocks from one device to another; from one device to all, the whole or
  /// to each its block; from all to one; or anything else.
  enum class Pattern { boxes, send_recv, broadcast, scatter, gather };

  StepKind kind;
  Sharding before, after;
  /// Along which devices that send and devices that receive may differ, in the order of the groups: axes as
  /// dims of `after` name them, then as dims of `before` do, then unreduced ones. None if no device sends,
  /// and of a move.
  Axes axes;
  /// The devices that communicate with each other, by the machine's numbers, in row-major order of `axes`. Of
  /// a permute and a move {sender, receiver} for each block, or part of one, that moves; a device that has
  /// what it needs is in no pair as a receiver.
  std::vector<std::vector<int>> groups;
  std::int64_t sent_bytes = 0, received_bytes = 0;
  int peers = 0;                     // that a device receives from, at most
  std::int64_t scratch_bytes = 0;    // for packing and unpacking; 0 if blocks travel as they lie
  double seconds = 0;                // by estimate
  Pattern pattern = Pattern::boxes;  // of a move
};

/// Axes of size 1 stand in no step; nor do reduced axes, along which all devices hold the same, unless they
/// are reduced on both sides. So the first step begins, and the last ends, with the request's shardings
/// without these.
/// There are no steps if only such axes differ. Nor is there one from one mesh to another that leaves each
/// device the block that it has: the next step begins on the other mesh. If steps are along parts of axes,
/// the shardings, the request's too, are on the mesh that is refined at these.
struct ReshardPlan {
  /// Another way to the same sharding, and why it was not chosen.
  struct Other {
    std::vector<PlanStep> steps;
    PlanTotals totals;
    std::string why;  // "48 B more", "2 steps more"
  };

  PlanRequest request;
  std::vector<PlanStep> steps;
  PlanTotals totals;
  std::int64_t peak_block_bytes = 0;  // the largest block that a device holds before, between or after
  std::int64_t peak_bytes = 0;        // of a step: its operand, its result and its scratch
  std::vector<Other> others;          // the best first
};

}  // namespace tutti
