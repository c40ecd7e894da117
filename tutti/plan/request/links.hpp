// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>

#include "tutti/plan/request/request.hpp"

namespace tutti {

/// The machine's numbers of a mesh's devices.
std::set<int> devices_in(const Mesh& mesh);

/// The cost of a byte between devices that differ along `axis`, or along several axes.
double cost_along(const Axis& axis, const ReshardOptions& options);
double cost_along(const Axes& axes, const ReshardOptions& options);

/// The cost of a byte between two devices, by the links of a request.
class PairCosts {
 public:
  explicit PairCosts(const PlanRequest& request);

  /// True if each byte costs 1.
  bool are_equal() const { return request_.options.links.empty(); }
  /// sender, receiver: the machine's devices.
  double between(int sender, int receiver) const;

 private:
  double on_mesh(const Mesh& mesh, int a, int b) const;

  const PlanRequest& request_;
  std::map<int, int> before_, after_;  // positions on both meshes, by device
  double largest_ = 1;
};

}  // namespace tutti
