// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/moves/direct.hpp"

#include <algorithm>

#include "tutti/devices/owners.hpp"

namespace tutti {
namespace {

double most_cost(const Owners& owners, const Mesh& mesh, const PairCosts& costs) {
  double most = 0;
  for (int device = 0; device < mesh.devices(); ++device) {
    double cost = 0;
    owners.ask(device, [&](int owner, std::int64_t elements) {
      cost += costs.between(mesh.device_id(owner), mesh.device_id(device)) * static_cast<double>(elements);
    });
    most = std::max(most, cost);
  }
  return most;
}

}  // namespace

DirectTraffic direct_traffic(const Sharding& before, const Sharding& after, const Shape& shape,
                             const PairCosts& costs) {
  const Owners owners(before, after, shape);
  const Owners::Most most = owners.most();
  DirectTraffic traffic{most.received, most.sent, most.peers, {}};
  if (costs.are_equal()) traffic.cost = static_cast<double>(most.received);
  else if (owners.are_few(most.peers)) traffic.cost = most_cost(owners, before.mesh, costs);
  return traffic;
}

}  // namespace tutti
