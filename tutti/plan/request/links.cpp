// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/request/links.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

namespace tutti {
namespace {

std::map<int, int> positions_on(const Mesh& mesh) {
  std::map<int, int> positions;
  for (int position = 0; position < mesh.devices(); ++position)
    positions.emplace(mesh.device_id(position), position);
  return positions;
}

}  // namespace

std::set<int> devices_in(const Mesh& mesh) {
  std::set<int> devices;
  for (int position = 0; position < mesh.devices(); ++position) devices.insert(mesh.device_id(position));
  return devices;
}

double cost_along(const Axis& axis, const ReshardOptions& options) {
  double cost = 1;
  for (const auto& [name, given] : options.links)
    if (factor_of(axis).of.name == name) cost = given;
  return cost;
}

double cost_along(const Axes& axes, const ReshardOptions& options) {
  double most = 0;
  for (const Axis& axis : axes) most = std::max(most, cost_along(axis, options));
  return most;
}

PairCosts::PairCosts(const PlanRequest& request) : request_(request) {
  if (are_equal()) return;
  before_ = positions_on(request.from.mesh);
  after_ = positions_on(request.to.mesh);
  for (const auto& [name, cost] : request.options.links) largest_ = std::max(largest_, cost);
}

double PairCosts::between(int sender, int receiver) const {
  if (are_equal()) return 1;
  double most = -1;
  const auto a = before_.find(sender), b = before_.find(receiver);
  if (a != before_.end() && b != before_.end()) most = on_mesh(request_.from.mesh, a->second, b->second);
  const auto c = after_.find(sender), d = after_.find(receiver);
  if (c != after_.end() && d != after_.end())
    most = std::max(most, on_mesh(request_.to.mesh, c->second, d->second));
  return most < 0 ? largest_ : most;
}

double PairCosts::on_mesh(const Mesh& mesh, int a, int b) const {
  double most = 0;
  for (const Axis& axis : mesh.axes())
    if (mesh.coordinate(a, axis) != mesh.coordinate(b, axis))
      most = std::max(most, cost_along(axis, request_.options));
  return most;
}

}  // namespace tutti
