// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/reshard.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/plan/take_step.hpp"

namespace tutti {
namespace {

/// The axes of the mesh that shard_maps have bound here.
Axes bound_mesh_axes() {
  Axes axes;
  for (const Axis& axis : Builder::current().bound_axes())
    if (is_mesh_axis(axis)) axes.push_back(axis);
  std::ranges::sort(axes);
  return axes;
}

/// Finished data, copied to another sharding.
Array laid_out(const Operand& x, const Mesh& mesh, const P& to) try {
  const std::shared_ptr<const GlobalArray> data = x.array()->data();
  const Sharding sharding = to.on(mesh, data->type());
  if (data->sharding() == sharding) return *x.array();
  return Array(std::make_shared<const GlobalArray>(GlobalArray::distributed(*data, sharding)));
} catch (const Error& error) {
  throw error.at(x.where(), "reshard");
}

}  // namespace

Array reshard(const Operand& x, const P& from, const P& to, const ReshardOptions& options) {
  return front_end("reshard", x.where(), [&] {
    const Array part = as_array(x);
    const Mesh mesh = Mesh::of(bound_mesh_axes());
    const Sharding before = from.on(mesh, part.type()), after = to.on(mesh, part.type());
    require_whole_axes(before, mesh);
    require_whole_axes(after, mesh);
    const Type expected = local_type(global_type(part.type(), before), before);
    require(part.type() == expected, Code::state,
            "{} does not lie as {} says, which needs {}; name the axes along which it differs", part.type(),
            before, expected);
    for (const Axis& axis : axes_of(after))
      require(contains(axes_of(before), axis) || part.type().at(axis) == State::invariant, Code::state,
              "{} differs along '{}', which {} does not name; name the axes along which it differs",
              part.type(), axis.name, before);
    ReshardOptions of_whole_axes = options;
    of_whole_axes.parts = false;  // the exchange is the same
    return take_at_once(*shared_plan(request_for(part.type(), before, after, of_whole_axes)), part);
  });
}

Array reshard(const Operand& x, const Mesh& mesh, const P& to) {
  if (x.array() && x.array()->data() && !Builder::current_or_null()) return laid_out(x, mesh, to);
  return front_end("reshard", x.where(), [&] {
    const Array whole = as_array(x);
    const Sharding sharding = to.on(mesh, whole.type());
    require_whole_axes(sharding, mesh);
    return leave(enter(whole, sharding), sharding);
  });
}

}  // namespace tutti
