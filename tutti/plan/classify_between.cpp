// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/classify_between.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/plan/moves/move_traffic.hpp"
#include "tutti/plan/search/search_of.hpp"

namespace tutti {
namespace {

constexpr std::string_view composite = "composite: ask for a plan";

bool has_terms(const Axes& unreduced) { return joint_size(unreduced) > 1; }

std::string ours(const PlanRequest& request) {
  const Sharding &from = request.from, &to = request.to;
  if (has_terms(to.unreduced)) return std::string(composite);
  if (has_terms(from.unreduced)) {
    const bool is_whole =
        std::ranges::all_of(from.dims, [](const Axes& axes) { return joint_size(axes) == 1; });
    return to.mesh.devices() == 1 && is_whole ? "reduce" : std::string(composite);
  }
  const std::optional<MoveTraffic> move =
      move_traffic(from, to, request.whole.shape(), PairCosts(request), most_move_visits);
  if (!move) return std::string(name(PlanStep::Pattern::boxes));
  if (!move->transfers.empty()) return std::string(name(move->pattern));
  return move->keeps_blocks ? "nothing" : "slice";
}

/// The mesh axes that nvFuser would have: those of one device only where they are named.
Axes parallel_axes(const Sharding& sharding) {
  const Axes named = axes_of(sharding);
  Axes axes;
  for (const Axis& axis : sharding.mesh.axes())
    if (axis.size > 1 || contains(named, axis)) axes.push_back(axis);
  return axes;
}

/// Where nvFuser's i-th parallel type stands: its types are numbered from the last mesh axis on.
struct Use {
  std::optional<std::size_t> dim;
  bool is_partial = false, is_outermost = true;
};
Use use_of(const Sharding& sharding, std::size_t type) {
  const Axes axes = parallel_axes(sharding);
  Use use;
  if (type >= axes.size()) return use;
  const Axis& axis = axes[axes.size() - 1 - type];
  use.is_partial = contains(sharding.unreduced, axis);
  for (std::size_t dim = 0; dim < sharding.dims.size(); ++dim)
    if (contains(sharding.dims[dim], axis)) {
      use.dim = dim;
      use.is_outermost = joint_size(sharding.dims[dim]) == axis.size;
    }
  return use;
}

bool is_line(const Sharding& sharding) { return parallel_axes(sharding).size() <= 1; }

std::string of_scatter(const PlanRequest& request) {
  if (!is_line(request.to)) return "error: Scatter needs a mesh of one axis to go to";
  const std::set<int> receivers = devices_in(request.to.mesh);
  for (int position = 0; position < request.from.mesh.devices(); ++position)
    if (const int root = request.from.mesh.device_id(position); receivers.contains(root))
      return fmt::format("Scatter from device {}", root);
  return "error: Scatter needs a sender that also receives";
}

std::string times(std::string_view what, const Mesh& to) {
  const int n = to.devices();
  return n == 1 ? std::string(what) : fmt::format("{}, {} times: one for each receiver", what, n);
}

/// nvFuser's getCommunicationInfo and its lowerings (81c4b22), for two meshes and one parallel type.
std::string one_change(const PlanRequest& request, const Use& before, const Use& after) {
  const Mesh &from = request.from.mesh, &to = request.to.mesh;
  const bool are_lines = is_line(request.from) && is_line(request.to);
  if (before.is_partial) {
    if (after.dim) return "error: ReduceScatter needs one mesh";
    return are_lines ? times("Reduce", to) : "error: Reduce needs meshes of one axis";
  }
  if (before.dim && after.dim) {
    if (*before.dim != *after.dim) return "error: AllToAll needs one mesh";
    return are_lines && from.devices() == to.devices()
               ? "SendRecv"
               : "error: SendRecv needs as many devices, on one axis each";
  }
  if (after.dim) return of_scatter(request);
  return is_line(request.from) ? times("Gather", to) : "error: Gather needs a mesh of one axis to come from";
}

std::string nvfuser(const PlanRequest& request) {
  const Sharding &from = request.from, &to = request.to;
  constexpr std::size_t types = 3;
  for (const Sharding& sharding : {from, to})
    if (parallel_axes(sharding).size() > types) return "error: a mesh has three axes at most";
  if (!is_even(request)) return "error: only even splits";
  if (has_terms(to.unreduced)) return "error: it has no partial values to go to";
  std::vector<std::pair<Use, Use>> changes;
  for (std::size_t type = 0; type < types; ++type) {
    const Use before = use_of(from, type), after = use_of(to, type);
    if (before.dim || before.is_partial || after.dim) changes.emplace_back(before, after);
  }
  if (changes.empty())
    return is_line(from) && is_line(to) ? "Broadcast" : "error: Broadcast needs meshes of one axis";
  if (changes.size() > 1)
    return fmt::format("error: {} change in one expression, one may",
                       counted(std::ssize(changes), "mesh axis", "mesh axes"));
  const auto& [before, after] = changes[0];
  if (!before.is_outermost || !after.is_outermost)
    return "error: only the outermost split of a dim is communicated";
  return one_change(request, before, after);
}

}  // namespace

Classified classify_between_meshes(const PlanRequest& request) { return {ours(request), nvfuser(request)}; }

}  // namespace tutti
