// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/request/request.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr double most_cost = 1e9;      // of a byte; beyond, sums of costs lose the bytes
constexpr double most_bytes = 0x1p60;  // of a copy for every device: sums of bytes fit an int64

void check_mesh(const PlanRequest& request) {
  for (const Sharding& sharding : {request.from, request.to})
    for (const Axis& axis : axes_of(sharding))
      require(contains(sharding.mesh.axes(), axis), Code::spec,
              "{} names axis '{}', which the mesh {} does not have", sharding, axis.name, sharding.mesh);
}

/// The axes of the first mesh, then those of the second.
Axes axes_of_meshes(const PlanRequest& request) {
  const Mesh from = request.from.mesh.whole(), to = request.to.mesh.whole();
  Axes axes = from.axes();
  for (const Axis& axis : to.axes())
    if (!contains(axes, axis)) axes.push_back(axis);
  return axes;
}

/// "x=4", "x=4 or y=2".
std::string text_of_meshes(const PlanRequest& request) {
  const std::string from = to_string(request.from.mesh.whole()), to = to_string(request.to.mesh.whole());
  return from == to ? from : from + " or " + to;
}

}  // namespace

void internal::check(const PlanRequest& request) {
  check_mesh(request);
  const int devices = request.from.mesh.devices() + request.to.mesh.devices();
  require(static_cast<double>(request.whole.bytes()) * devices <= most_bytes, Code::memory,
          "a plan counts bytes up to 2^60; {} for each device of both sides would take more; make the array "
          "smaller",
          request.whole);
  for (const Sharding& sharding : {request.from, request.to}) {
    padded_local_type(request.whole, sharding);
    require(sharding.unreduced.empty() || request.whole.dtype() != DType::boolean, Code::dtype,
            "{} of {}: bool has no sums; convert it", sharding, request.whole);
  }
  for (const auto& [name, cost] : request.options.links) {
    const Axes axes = axes_of_meshes(request);
    require(std::ranges::find(axes, name, &Axis::name) != axes.end(), Code::mesh,
            "a link along '{}', which is no axis of the mesh {}; name one of its axes", name,
            text_of_meshes(request));
    require(cost >= 0 && cost <= most_cost, Code::mesh,
            "a byte along '{}' costs {}; give a number from 0 to {}", name, cost,
            fmt::format("{:.0f}", most_cost));
  }
}

PlanRequest request_for(Type part, Sharding from, Sharding to, const ReshardOptions& options) {
  const Axes named_before = axes_of(from), named_after = axes_of(to);
  Axes usable;
  for (const Axis& axis : from.mesh.axes())
    if (part.at(axis) == State::invariant || contains(named_before, axis) || contains(named_after, axis))
      usable.push_back(axis);
  const Type whole = global_type(part, from);
  from.mesh = to.mesh = Mesh::of(usable);
  return {whole, std::move(from), std::move(to), options};
}

}  // namespace tutti
