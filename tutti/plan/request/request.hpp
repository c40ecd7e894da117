// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/plan/request/totals.hpp"
#include "tutti/types/sharding.hpp"
#include "tutti/types/type.hpp"

namespace tutti {

/// Options of reshard and of plans.
struct ReshardOptions {
  PlanObjective objective = PlanObjective::time;
  /// No device holds a block larger than this times the larger of its blocks before and after.
  double cap = 1;
  /// The cost of a byte between devices that differ along these mesh axes, by name; 1 along all others. A
  /// byte between devices that differ along several costs the largest; one between two meshes, of devices
  /// that no mesh has both, the largest of all.
  std::vector<std::pair<std::string, double>> links = {};
  /// One exchange of boxes, in which each device receives exactly what it lacks, in place of collectives.
  bool direct = false;
  /// Steps may be along parts of axes, their prime factors, where no plan with whole axes is as good.
  /// Shardings that name parts themselves are planned with these, whatever this says.
  bool parts = false;
};

/// To bring a global array of type `whole` (dtype and shape) from one sharding to another, on the same mesh,
/// on one that is refined for parts of its axes, or on one of other axes or devices. Dims need not divide.
struct PlanRequest {
  ops::Type whole;
  Sharding from, to;
  ReshardOptions options = {};
};

/// To bring one device's part of an array from one sharding to another. Along axes that neither names, and
/// along which parts differ, nothing may change: they are left out of the mesh.
PlanRequest request_for(ops::Type part, Sharding from, Sharding to, const ReshardOptions& options = {});

}  // namespace tutti

namespace tutti::internal {

/// Throws as plan() does for a request that is not one.
void check(const PlanRequest& request);

}  // namespace tutti::internal
