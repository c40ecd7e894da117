// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/refinements.hpp"

#include <algorithm>

#include "tutti/plan/moves/direct.hpp"
#include "tutti/plan/moves/groups.hpp"
#include "tutti/plan/request/links.hpp"
#include "tutti/plan/search/states_of.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

std::vector<int> primes_of(int size) {
  std::vector<int> primes;
  for (int prime = 2; size > 1; ++prime)
    for (; size % prime == 0; size /= prime) primes.push_back(prime);
  return primes;
}

enum class Order { small_factors_first, large_factors_first };

/// The cuts of a part into its prime factors.
std::vector<int> cuts_within(const AxisFactor& part, Order order) {
  std::vector<int> primes = primes_of(part.size), cuts;
  if (order == Order::large_factors_first) std::ranges::reverse(primes);
  int before = part.before;
  for (std::size_t i = 0; i + 1 < primes.size(); ++i) cuts.push_back(before *= primes[i]);
  return cuts;
}

/// No steps have fewer bytes: one exchange of boxes, in which each device receives what it lacks.
bool has_least_bytes(const ReshardPlan& plan) {
  const StatesOf states(plan.request);
  if (!states.first().unreduced.empty() || !states.last().unreduced.empty()) return false;
  const DirectTraffic least =
      direct_traffic(states.first(), states.last(), plan.request.whole.shape(), PairCosts(plan.request));
  return plan.totals.bytes <=
         least.received * static_cast<std::int64_t>(bytes_per_element(plan.request.whole.dtype()));
}

bool may_gain(const ReshardPlan& plan) {
  const ReshardOptions& options = plan.request.options;
  if (!options.parts || options.direct || plan.totals.steps == 0) return false;
  if (options.objective == PlanObjective::bytes) return !has_least_bytes(plan);
  return plan.totals.steps > 1;
}

/// False for a mesh of some parts of its axes, which only programs have.
bool is_all_of_its_axes(const Mesh& mesh) {
  const Mesh whole = mesh.whole();
  return std::ranges::all_of(mesh.axes(),
                             [&](const Axis& axis) { return contains(whole.axes(), factor_of(axis).of); });
}

/// The axes that a search numbers, those first that stand elsewhere before than after.
Axes axes_to_cut(const PlanRequest& request) {
  const StatesOf states(request);
  const Axes moved = step_axes(states.first(), states.last());
  Axes axes;
  for (const Axis& axis : request.from.mesh.axes())
    if (axis.size > 1 && !contains(states.first().reduced, axis)) axes.push_back(axis);
  std::ranges::stable_partition(axes, [&](const Axis& axis) { return contains(moved, axis); });
  return axes;
}

Cuts prime_cuts(const PlanRequest& request, Order order) {
  const Mesh whole = request.from.mesh.whole();
  Cuts cuts = cuts_of(request.from.mesh);
  const Axes axes = axes_to_cut(request);
  std::size_t units = axes.size();
  for (const Axis& axis : axes) {
    const AxisFactor part = factor_of(axis);
    const std::vector<int> more = cuts_within(part, order);
    if (more.empty() || units + more.size() > StatesOf::most_axes) continue;
    units += more.size();
    const auto of = std::ranges::find(whole.axes(), part.of) - whole.axes().begin();
    std::vector<int>& all = cuts[static_cast<std::size_t>(of)];
    all.insert(all.end(), more.begin(), more.end());
    std::ranges::sort(all);
  }
  return cuts;
}

}  // namespace

PlanRequest on_one_mesh(PlanRequest request) {
  if (request.options.parts) {
    // Cuts that neither side needs would keep others from being tried.
    request.from = on_coarsest_mesh(request.from);
    request.to = on_coarsest_mesh(request.to);
  }
  const Mesh from = request.from.mesh, to = request.to.mesh, whole = from.whole();
  if (from == to || !(whole == to.whole())) return request;
  const std::optional<Cuts> cuts = joined(cuts_of(from), cuts_of(to));
  if (!cuts) return request;
  const Mesh both = refined(whole, *cuts);
  request.from = refined(request.from, both);
  request.to = refined(request.to, both);
  return request;
}

std::vector<PlanRequest> refinements(const ReshardPlan& plan) {
  std::vector<PlanRequest> found;
  if (!may_gain(plan) || !is_all_of_its_axes(plan.request.from.mesh)) return found;
  std::vector<Mesh> tried{plan.request.from.mesh};
  for (Order order : {Order::small_factors_first, Order::large_factors_first}) {
    const Mesh mesh = refined(tried[0].whole(), prime_cuts(plan.request, order));
    if (std::ranges::find(tried, mesh) != tried.end()) continue;
    tried.push_back(mesh);
    PlanRequest finer = plan.request;
    finer.from = refined(finer.from, mesh);
    finer.to = refined(finer.to, mesh);
    found.push_back(std::move(finer));
  }
  return found;
}

}  // namespace tutti
