// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/planned_exchange.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/plan/take_step.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

/// `mesh` with the cuts of the plan's mesh, which has some of its axes.
Mesh refined_for(const Mesh& mesh, const Mesh& of_plan) {
  Cuts cuts = cuts_of_whole(mesh);
  const Cuts some = cuts_of(of_plan);
  const Axes& axes = of_plan.whole().axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto at = std::ranges::find(mesh.axes(), axes[i]);
    ensure(at != mesh.axes().end(), "the plan's axis '{}' is not in the mesh {}", axes[i].name, mesh);
    cuts[static_cast<std::size_t>(at - mesh.axes().begin())] = some[i];
  }
  return refined(mesh, cuts);
}

Type on(Type type, const Mesh& finer) {
  AxisStates states;
  for (const auto& [axis, state] : type.states())
    for (const Axis& part : axes_of_part(finer, factor_of(axis))) states.set(part, state);
  return type.with(states);
}

ReshardPlan on(ReshardPlan plan, const Mesh& finer) {
  plan.request.whole = on(plan.request.whole, finer);
  plan.request.from = refined(plan.request.from, finer);
  plan.request.to = refined(plan.request.to, finer);
  for (PlanStep& step : plan.steps) {
    step.before = refined(step.before, finer);
    step.after = refined(step.after, finer);
  }
  return plan;
}

Program traced(const ReshardPlan& plan, Type x) {
  return trace({x}, [&](const Arrays& part) { return Arrays{take(plan, part[0])}; }).program;
}

}  // namespace

std::optional<PlannedExchange> planned_exchange(const Exchange& exchange, Type x, const Mesh& mesh) {
  const ReshardOptions options{.parts = mesh == mesh.whole()};
  const std::shared_ptr<const ReshardPlan> found =
      shared_plan(request_for(x, exchange.from, exchange.to, options));
  if (found->steps.size() < 2) return std::nullopt;
  const Mesh& of_plan = found->request.from.mesh;
  const bool is_cut_already =
      std::ranges::all_of(of_plan.axes(), [&](const Axis& axis) { return contains(mesh.axes(), axis); });
  const Mesh finer = is_cut_already ? mesh : refined_for(mesh, of_plan);
  if (finer == mesh) return PlannedExchange{traced(*found, x), mesh};
  return PlannedExchange{traced(on(*found, finer), on(x, finer)), finer};
}

}  // namespace tutti
