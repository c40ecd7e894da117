// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/plan/plan_run.hpp"

#include <fmt/core.h>

#include "tutti/base/require.hpp"
#include "tutti/cli/plan/plan_run_arrays.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/plan/search/search_of.hpp"
#include "tutti/plan/take_step.hpp"
#include "tutti/run/machine.hpp"

namespace tutti::cli {
namespace {

// Dim 0 is split over `axes`, the others as before.
Sharding behind_a_dim(const Sharding& sharding, const Axes& axes) {
  Sharding more{sharding.mesh, sharding.dims, {}, sharding.reduced};
  more.dims.insert(more.dims.begin(), axes);
  return more;
}

// [device, block]: what each device holds; terms are summed.
Array shown(const Array& x, const Sharding& sharding) {
  const Axes& all = sharding.mesh.axes();
  const Array sum = sharding.unreduced.empty() ? x : psum(x, sharding.unreduced);
  Sharding by_device = unsharded(sharding.mesh, x.rank() + 1);
  by_device.dims[0] = all;
  return leave(cast_to(expand_dims(sum, 0), all, varying), by_device);
}

// The values of the devices before the first step and after each one.
Arrays states_of(const ReshardPlan& plan, const Array& terms) {
  const Sharding& from = plan.request.from;
  const Array part = enter(terms, behind_a_dim(from, from.unreduced));
  Array x = cast_to(reshape(part, part.shape().erased(Dim{0})), from.unreduced, unreduced);
  Arrays states{shown(x, from)};
  if (!plan.steps.empty())
    x = take_without_steps(x, plan.request.whole.shape(), from, plan.steps.front().before);
  for (const PlanStep& step : plan.steps) {
    x = take(step, x);
    states.push_back(shown(x, step.after));
  }
  return states;
}

// blocks: [device, block].
void check(const Tensor& blocks, const Sharding& sharding, const Shape& whole, std::string_view when) {
  const Shape stored = blocks.shape().erased(Dim{0});
  const std::int32_t* values = blocks.as<std::int32_t>().data();
  for (int device = 0; device < sharding.mesh.devices(); ++device)
    check_block(values + device * stored.elements(), stored, device, sharding, whole, when);
}

// Every device's block is kept before the first step and after each one.
void require_small(const ReshardPlan& plan) {
  constexpr double most_bytes = 0x1p31;
  auto bytes_of_all = [&](const Sharding& sharding) {
    const Type block = padded_local_type(plan.request.whole, sharding);
    return 4.0 * static_cast<double>(block.shape().elements()) * sharding.mesh.devices();
  };
  const int terms = joint_size(plan.request.from.unreduced);
  double bytes = 8.0 * terms * static_cast<double>(plan.request.whole.shape().elements());
  bytes += 2 * bytes_of_all(plan.request.from);
  for (const PlanStep& step : plan.steps) bytes += 2 * bytes_of_all(step.after);
  require(bytes <= most_bytes, Code::memory,
          "--run: the blocks of all devices, of i32, would take {} GiB, more than 2; try a smaller shape",
          fmt::format("{:.1f}", bytes / 0x1p30));
}

}  // namespace

void check_by_running(const ReshardPlan& plan) {
  const Sharding& from = plan.request.from;
  const Shape& whole = plan.request.whole.shape();
  require_small(plan);
  if (!(from.mesh == plan.request.to.mesh) || !is_even(plan.request)) return check_by_moving_arrays(plan);
  const Array terms = terms_of_the_whole(whole, joint_size(from.unreduced));
  const Machine machine = open_local(from.mesh);
  const auto run = machine.compile([&](const Array& x) { return states_of(plan, x); }, terms);
  const Arrays states = run(terms);
  check(states[0].tensor(), from, whole, "before the first step");
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    check(states[i + 1].tensor(), plan.steps[i].after, whole,
          fmt::format("after step {} ({})", i + 1, name(plan.steps[i].kind)));
}

}  // namespace tutti::cli
