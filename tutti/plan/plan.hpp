// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tutti/base/namespaces.hpp"
#include "tutti/plan/request/step.hpp"

namespace tutti {

/// The cheapest collectives between two shardings; options.direct may send fewer bytes, to more peers. Ties
/// go to fewer steps, then bytes, local steps, smaller blocks in between, then a fixed order of states: every
/// process finds the same plan.
/// If no steps keep the cap, or too many would have to be tried, or a dim does not divide, sums come first
/// and one exchange of boxes does the rest, as with options.direct. Padding never travels in it.
/// Between two meshes sums come first, then steps on the one mesh, one move from device to device, steps on
/// the other. Among the same devices a move brings whole blocks to devices that have none of them; elsewhere,
/// and with options.direct, boxes.
/// Throws T013 for shardings of another rank, that name an axis twice or one of another mesh, T007 for sums
/// of bool, T014 for links that do not fit, R003 for a cap below 1 that no plan keeps, and for a move between
/// too many devices.
/// Source: the search over states is that of Rink et al. 2021 (arXiv 2112.01075), with sums and general
/// exchanges.
ReshardPlan plan(const PlanRequest& request);

}  // namespace tutti

namespace tutti::internal {

/// The same, from a cache: equal requests share one plan. Any thread may ask.
std::shared_ptr<const ReshardPlan> shared_plan(const PlanRequest& request);

/// The one collective that brings an array from one sharding to another, if one is enough.
struct Classified {
  std::string ours;     // "all_gather over ('x', 'y')", or "composite: ask for a plan"
  std::string nvfuser;  // what nvFuser's lowering answers, or its error
};
Classified classify(const PlanRequest& request);

}  // namespace tutti::internal

namespace tutti {

/// The plan as a table: for each step its op, the sharding and local shape after it, groups, bytes, time.
std::string to_string(const ReshardPlan& plan);

}  // namespace tutti
