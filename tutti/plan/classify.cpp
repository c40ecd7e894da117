// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/core.h>

#include "tutti/base/counted.hpp"
#include "tutti/plan/classify_between.hpp"
#include "tutti/plan/moves/direct.hpp"
#include "tutti/plan/moves/groups.hpp"
#include "tutti/plan/moves/move_traffic.hpp"
#include "tutti/plan/refinements.hpp"
#include "tutti/plan/search/search_of.hpp"
#include "tutti/plan/search/states_of.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

/// The change of each dim after the common prefix of axes, and of the unreduced axes.
struct Change {
  std::vector<Axes> lost, gained;
  Axes summed, masked;
};

Axes joined(const std::vector<Axes>& dims) {
  Axes all;
  for (const Axes& axes : dims) all.insert(all.end(), axes.begin(), axes.end());
  return all;
}

bool includes(const Axes& all, const Axes& some) { return without(some, all).empty(); }

Change change_of(const Sharding& from, const Sharding& to) {
  Change change{{}, {}, without(from.unreduced, to.unreduced), without(to.unreduced, from.unreduced)};
  for (std::size_t dim = 0; dim < from.dims.size(); ++dim) {
    const Axes &a = from.dims[dim], &b = to.dims[dim];
    const auto [end_a, end_b] = std::ranges::mismatch(a, b);
    change.lost.emplace_back(end_a, a.end());
    change.gained.emplace_back(end_b, b.end());
  }
  return change;
}

bool has_as_many_parts(const Sharding& from, const Sharding& to) {
  return std::ranges::equal(from.dims, to.dims, {}, joint_size, joint_size);
}

constexpr std::string_view composite = "composite: ask for a plan";

/// Axes that leave the ends of dims for the ends of others.
std::string exchange(const Change& change) {
  std::vector<std::size_t> from, to;
  for (std::size_t dim = 0; dim < change.lost.size(); ++dim) {
    if (!change.lost[dim].empty()) from.push_back(dim);
    if (!change.gained[dim].empty()) to.push_back(dim);
  }
  const Axes axes = joined(change.gained);
  if (from.size() == 1 && to.size() == 1 && change.lost[from[0]] == axes)
    return fmt::format("all_to_all over {}, dim {} to dim {}", to_string(axes), from[0], to[0]);
  return "exchange over " + to_string(axes);
}

std::string of_moves(const Change& change, const Sharding& from, const Sharding& to) {
  const Axes lost = joined(change.lost), gained = joined(change.gained);
  if (lost.empty() && gained.empty()) return "nothing";
  if (lost.empty()) return "slice over " + to_string(gained);
  if (gained.empty()) return "all_gather over " + to_string(lost);
  bool has_both = false;
  for (std::size_t dim = 0; dim < change.lost.size(); ++dim)
    has_both |= !change.lost[dim].empty() && !change.gained[dim].empty();
  if (!has_both && includes(gained, lost) && includes(lost, gained)) return exchange(change);
  return has_as_many_parts(from, to) ? "permute" : std::string(composite);
}

std::string of_sums(const Change& change) {
  const Axes gained = joined(change.gained), left = without(change.summed, gained);
  if (!joined(change.lost).empty() || !includes(change.summed, gained)) return std::string(composite);
  if (gained.empty()) return "psum over " + to_string(left);
  const std::string scatter = "psum_scatter over " + to_string(gained);
  return left.empty() ? scatter : scatter + " and psum over " + to_string(left);
}

std::string ours(const Sharding& from, const Sharding& to) {
  const Change change = change_of(from, to);
  if (change.summed.empty() && change.masked.empty()) return of_moves(change, from, to);
  if (change.masked.empty()) return of_sums(change);
  const bool only_masks =
      change.summed.empty() && joined(change.gained).empty() && includes(change.masked, joined(change.lost));
  return only_masks ? "mask over " + to_string(change.masked) : std::string(composite);
}

std::optional<std::size_t> dim_of(const Axis& axis, const Sharding& sharding) {
  for (std::size_t dim = 0; dim < sharding.dims.size(); ++dim)
    if (contains(sharding.dims[dim], axis)) return dim;
  return std::nullopt;
}

// It sends blocks as they lie: the parts must lie one after another on both sides.
bool is_right_unpacked(const PlanRequest& request, std::size_t lost, std::size_t gained) {
  const Shape operand = local_type(request.whole, request.from).shape();
  const Shape result = local_type(request.whole, request.to).shape();
  for (std::size_t dim = 0; dim < gained; ++dim)
    if (operand[static_cast<int>(dim)] != 1) return false;
  for (std::size_t dim = 0; dim < lost; ++dim)
    if (result[static_cast<int>(dim)] != 1) return false;
  return true;
}

/// nvFuser's getCommunicationInfo and its lowerings (81c4b22), for one mesh and a change along `axis` alone.
/// `mesh`: the axes of size 2 and more; the last one is DIDx.
std::string one_change(const PlanRequest& request, const Axis& axis, const Axes& mesh, const Sharding& from,
                       const Sharding& to) {
  const std::optional<std::size_t> before = dim_of(axis, from), after = dim_of(axis, to);
  const bool is_partial = contains(from.unreduced, axis);
  if (contains(to.unreduced, axis)) return "error: it has no partial values to go to";
  if ((before && from.dims[*before].size() > 1) || (after && to.dims[*after].size() > 1))
    return "error: only the outermost split of a dim is communicated";
  const bool is_one_axis = mesh.size() == 1;
  if (!before && !is_partial)
    return is_one_axis ? "Scatter, which sends what each device has"
                       : "error: Scatter needs a mesh of one axis";
  if (before && after) {
    if (!is_one_axis) return "error: AllToAll needs a mesh of one axis";
    return is_right_unpacked(request, *before, *after) ? "AllToAll"
                                                       : "AllToAll, wrong data: it neither packs nor unpacks";
  }
  const std::string collective = before ? "Allgather" : after ? "ReduceScatter" : "Allreduce";
  return axis == mesh.back() ? collective : collective + ", wrong groups: always along the last mesh axis";
}

std::string nvfuser(const PlanRequest& request, const Sharding& from, const Sharding& to) {
  Axes mesh;
  for (const Axis& axis : from.mesh.axes())
    if (axis.size > 1) mesh.push_back(axis);
  const Axes changed = step_axes(from, to);
  if (changed.empty()) return "nothing";
  if (mesh.size() > 3) return "error: a mesh has three axes at most";
  if (changed.size() > 1)
    return fmt::format("error: {} change in one expression, one may",
                       counted(std::ssize(changed), "mesh axis", "mesh axes"));
  return one_change(request, changed[0], mesh, from, to);
}

/// On one mesh, where a dim does not divide: only what needs no equal blocks.
std::string ours_uneven(const PlanRequest& request, const Sharding& from, const Sharding& to) {
  const Change change = change_of(from, to);
  if (!change.masked.empty()) return std::string(composite);
  if (!change.summed.empty()) return from.dims == to.dims ? of_sums(change) : std::string(composite);
  if (from.dims == to.dims) return "nothing";
  const bool is_local = direct_traffic(from, to, request.whole.shape(), PairCosts(request)).received == 0;
  return is_local ? "slice over " + to_string(step_axes(from, to))
                  : std::string(name(PlanStep::Pattern::boxes));
}

}  // namespace

Classified internal::classify(const PlanRequest& asked) {
  PlanRequest request = asked;
  request.from = on_coarsest_mesh(asked.from);  // nvFuser cuts no axes
  request.to = on_coarsest_mesh(asked.to);
  request = on_one_mesh(std::move(request));
  check(request);
  if (!(request.from.mesh == request.to.mesh)) return classify_between_meshes(request);
  const StatesOf states(request);
  if (!is_even(request))
    return {ours_uneven(request, states.first(), states.last()),
            step_axes(states.first(), states.last()).empty() ? "nothing" : "error: only even splits"};
  return {ours(states.first(), states.last()), nvfuser(request, states.first(), states.last())};
}

}  // namespace tutti
