// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/moves/steps.hpp"

#include "tutti/plan/moves/groups.hpp"

namespace tutti {
namespace {

/// The dims that `a` splits into more parts than `b`.
std::vector<int> finer_dims(const Sharding& a, const Sharding& b) {
  std::vector<int> found;
  for (std::size_t dim = 0; dim < a.dims.size(); ++dim)
    if (joint_size(a.dims[dim]) > joint_size(b.dims[dim])) found.push_back(static_cast<int>(dim));
  return found;
}

/// True if the parts along these dims lie one after another: it is one dim, and a block is one long in those
/// before it.
bool lie_in_order(const std::vector<int>& dims, const Shape& block) {
  if (dims.size() != 1) return false;
  for (int dim = 0; dim < dims[0]; ++dim)
    if (block[dim] != 1) return false;
  return true;
}

std::int64_t scratch_bytes(const PlanStep& step, const Type& whole) {
  const Type operand = padded_local_type(whole, step.before), result = padded_local_type(whole, step.after);
  const bool packs = !lie_in_order(finer_dims(step.after, step.before), operand.shape());
  const bool unpacks = !lie_in_order(finer_dims(step.before, step.after), result.shape());
  const auto sent = static_cast<std::int64_t>(operand.bytes());
  const auto received = static_cast<std::int64_t>(result.bytes());
  switch (step.kind) {
    case StepKind::gather: return unpacks ? received : 0;
    case StepKind::reduce_scatter: return packs ? sent : 0;
    case StepKind::exchange: return (packs ? sent : 0) + (unpacks ? received : 0);
    case StepKind::slice:
    case StepKind::permute:
    case StepKind::all_reduce:
    case StepKind::mask: return 0;
    case StepKind::move: return sent + received;
  }
  return 0;
}

}  // namespace

PlanStep step_of(StepKind kind, const Sharding& before, const Sharding& after, const Type& whole) {
  PlanStep step{kind, before, after, {}, {}};
  step.scratch_bytes = scratch_bytes(step, whole);
  if (kind == StepKind::slice || kind == StepKind::mask || kind == StepKind::move) return step;
  step.axes =
      kind == StepKind::exchange ? exchange_axes(before, after, whole.shape()) : step_axes(before, after);
  step.groups =
      kind == StepKind::permute ? permutation_pairs(before, after) : groups_along(before.mesh, step.axes);
  for (std::vector<int>& group : step.groups)
    for (int& device : group) device = before.mesh.device_id(device);
  return step;
}

}  // namespace tutti
