// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tutti/plan/totals.hpp"
#include "tutti/types/sharding.hpp"
#include "tutti/types/type.hpp"

namespace tutti {

struct ReshardOptions {
  PlanObjective objective = PlanObjective::time;
  /// No device holds a block larger than this times the larger of its blocks before and after.
  double cap = 1;
  /// The cost of a byte between devices that differ along these mesh axes, by name; 1 along all others. A byte between
  /// devices that differ along several costs the largest; one between two meshes, of devices that no mesh has both, the
  /// largest of all.
  std::vector<std::pair<std::string, double>> links = {};
  /// One exchange of boxes, in which each device receives exactly what it lacks, in place of collectives.
  bool direct = false;
  /// Steps may be along parts of axes, their prime factors, where no plan with whole axes is as good. Shardings that name
  /// parts themselves are planned with these, whatever this says.
  bool parts = false;
};

/// To bring a global array of type `whole` (dtype and shape) from one sharding to another, on the same mesh, on one that is
/// refined for parts of its axes, or on one of other axes or devices. Dims need not divide.
struct PlanRequest {
  Type whole;
  Sharding from, to;
  ReshardOptions options = {};
};

/// To bring one device's part of an array from one sharding to another. Along axes that neither names, and along which parts
/// differ, nothing may change: they are left out of the mesh.
PlanRequest request_for(Type part, Sharding from, Sharding to, const ReshardOptions& options = {});

/// What a move between two meshes is: each device sends one whole block to one other; one device sends the whole array to
/// all, or its block to each; one device receives all blocks; or anything else.
enum class MovePattern { boxes, send_recv, broadcast, scatter, gather };

/// One step of a plan. Bytes are those of the device that sends, or receives, the most.
struct PlanStep {
  StepKind kind;
  Sharding before, after;
  /// Along which devices that send and devices that receive may differ, in the order of the groups: axes as dims of
  /// `after` name them, then as dims of `before` do, then unreduced ones. None if no device sends, and of a move.
  Axes axes;
  /// The devices that communicate with each other, by the machine's numbers, in row-major order of `axes`. Of a permute
  /// and a move {sender, receiver} for each block, or part of one, that moves; a device that has what it needs is in no pair
  /// as a receiver.
  std::vector<std::vector<int>> groups;
  std::int64_t sent_bytes = 0, received_bytes = 0;
  int peers = 0;                             // that a device receives from, at most
  std::int64_t scratch_bytes = 0;            // for packing and unpacking; 0 if blocks travel as they lie
  double seconds = 0;                        // by estimate
  MovePattern pattern = MovePattern::boxes;  // of a move
};

/// Another way to the same sharding, and why it was not chosen.
struct OtherPlan {
  std::vector<PlanStep> steps;
  PlanTotals totals;
  std::string why;  // "48 B more", "2 steps more"
};

/// Axes of size 1 stand in no step; nor do reduced axes, along which all devices hold the same, unless they are
/// reduced on both sides. So the first step begins, and the last ends, with the request's shardings without these.
/// There are no steps if only such axes differ. Nor is there one from one mesh to another that leaves each device the
/// block that it has: the next step begins on the other mesh. If steps are along parts of axes, the shardings, the request's
/// too, are on the mesh that is refined at these.
struct ReshardPlan {
  PlanRequest request;
  std::vector<PlanStep> steps;
  PlanTotals totals;
  std::int64_t peak_block_bytes = 0;  // the largest block that a device holds before, between or after
  std::int64_t peak_bytes = 0;        // of a step: its operand, its result and its scratch
  std::vector<OtherPlan> others;      // the best first
};

/// The cheapest steps that bring an array from one sharding to another. Ties go to fewer steps, then fewer bytes, then
/// fewer local steps, then smaller blocks in between, then a fixed order of states, so that every process finds the same plan.
/// If no steps keep the cap, or too many would have to be tried, or a dim does not divide, sums come first and one exchange of
/// boxes does the rest, as with options.direct. Padding never travels in it.
/// Between two meshes sums come first, then steps on the one mesh, one move from device to device, steps on the other. Among
/// the same devices a move brings whole blocks to devices that have none of them; elsewhere, and with options.direct, boxes.
/// Throws T013 for shardings of another rank, that name an axis twice or one of another mesh, T007 for sums of bool, T014
/// for links that do not fit, R003 for a cap below 1 that no plan keeps, and for a move between too many devices.
/// Source: the search over states is that of Rink et al. 2021 (arXiv 2112.01075), with sums and general exchanges.
ReshardPlan plan(const PlanRequest& request);
/// The same, from a cache: equal requests share one plan. Any thread may ask.
std::shared_ptr<const ReshardPlan> shared_plan(const PlanRequest& request);

/// The one collective that brings an array from one sharding to another, if one is enough.
struct Classified {
  std::string ours;     // "all_gather over ('x', 'y')", or "composite: ask for a plan"
  std::string nvfuser;  // what nvFuser's lowering answers, or its error
};
Classified classify(const PlanRequest& request);

/// The plan as a table: for each step its op, the sharding and local shape after it, groups, bytes, time.
std::string to_string(const ReshardPlan& plan);

}  // namespace tutti
