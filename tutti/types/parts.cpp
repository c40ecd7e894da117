// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/parts.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/core.h>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

bool divide_each_other(const std::vector<int>& cuts) {
  return std::ranges::adjacent_find(cuts, [](int a, int b) { return b % a != 0; }) == cuts.end();
}

std::vector<int> sizes_between(const std::vector<int>& cuts, int size) {
  std::vector<int> sizes;
  int before = 1;
  for (int cut : cuts) {
    sizes.push_back(cut / before);
    before = cut;
  }
  sizes.push_back(size / before);
  return sizes;
}

std::string name_of(const AxisFactor& part) {
  if (part.size == part.of.size) return std::string(part.of.name);
  return fmt::format("{}({}){}", part.of.name, part.before, part.size);
}

/// Axes as factors of those of the whole mesh, with parts that follow each other as one.
std::vector<AxisFactor> merged(std::span<const Axis> axes) {
  std::vector<AxisFactor> parts;
  for (const Axis& axis : axes) {
    const AxisFactor next = factor_of(axis);
    const bool is_part = next.size < next.of.size;  // an axis of size 1 is none
    const bool goes_on = is_part && !parts.empty() && next.of == parts.back().of &&
                         next.before == parts.back().before * parts.back().size;
    if (goes_on) parts.back().size *= next.size;
    else parts.push_back(next);
  }
  return parts;
}

void add(Axes& axes, const Axes& more) { axes.insert(axes.end(), more.begin(), more.end()); }

/// `sharding` on `mesh`, with all its axes put into terms of that one.
template <class F>
Sharding with_axes(const Sharding& sharding, const Mesh& mesh, const F& on_mesh) {
  Sharding result{mesh, {}, on_mesh(sharding.unreduced), on_mesh(sharding.reduced)};
  for (const Axes& axes : sharding.dims) result.dims.push_back(on_mesh(axes));
  return result;
}

}  // namespace

Cuts cuts_of_whole(const Mesh& whole) { return Cuts(whole.axes().size()); }

Cuts cuts_of(const Mesh& mesh) {
  const Mesh whole = mesh.whole();
  Cuts cuts = cuts_of_whole(whole);
  if (mesh == whole) return cuts;
  for (const Axis& axis : mesh.axes()) {
    const AxisFactor part = factor_of(axis);
    const auto of = std::ranges::find(whole.axes(), part.of) - whole.axes().begin();
    if (part.before > 1) cuts[static_cast<std::size_t>(of)].push_back(part.before);
  }
  return cuts;
}

std::optional<Cuts> joined(Cuts a, const Cuts& b) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    std::vector<int> both;
    std::ranges::set_union(a[axis], b[axis], std::back_inserter(both));
    if (!divide_each_other(both)) return std::nullopt;
    a[axis] = std::move(both);
  }
  return a;
}

Mesh refined(const Mesh& whole, const Cuts& cuts) {
  if (std::ranges::all_of(cuts, [](const std::vector<int>& of_axis) { return of_axis.empty(); }))
    return whole;
  std::vector<std::vector<int>> sizes;
  for (std::size_t axis = 0; axis < cuts.size(); ++axis)
    sizes.push_back(sizes_between(cuts[axis], whole.axes()[axis].size));
  return whole.cut(sizes);
}

Axes axes_of_part(const Mesh& refined_mesh, const AxisFactor& part) {
  if (contains(refined_mesh.axes(), part.of)) return {part.of};
  Axes axes;
  int size = 1;
  for (const Axis& axis : refined_mesh.axes()) {
    const AxisFactor factor = factor_of(axis);
    const bool is_in = factor.of == part.of && factor.before >= part.before &&
                       factor.before * factor.size <= part.before * part.size;
    if (!is_in) continue;
    axes.push_back(axis);
    size *= axis.size;
  }
  ensure(size == part.size, "{} is cut inside {}", refined_mesh, name_of(part));
  return axes;
}

Sharding refined(const Sharding& sharding, const Mesh& finer) {
  if (sharding.mesh == finer) return sharding;
  return with_axes(sharding, finer, [&](const Axes& axes) {
    Axes all;
    for (const Axis& axis : axes) add(all, axes_of_part(finer, factor_of(axis)));
    return all;
  });
}

Sharding on_coarsest_mesh(const Sharding& sharding) {
  const Mesh whole = sharding.mesh.whole();
  if (whole == sharding.mesh) return sharding;
  Cuts cuts = cuts_of_whole(whole);
  auto add_cuts = [&](const Axes& axes) {
    for (const AxisFactor& part : merged(axes)) {
      const auto of = std::ranges::find(whole.axes(), part.of) - whole.axes().begin();
      std::set<int> all(cuts[static_cast<std::size_t>(of)].begin(), cuts[static_cast<std::size_t>(of)].end());
      for (int cut : {part.before, part.before * part.size})
        if (cut > 1 && cut < part.of.size) all.insert(cut);
      cuts[static_cast<std::size_t>(of)].assign(all.begin(), all.end());
    }
  };
  for (const Axes& axes : sharding.dims) add_cuts(axes);
  add_cuts(sharding.unreduced);
  add_cuts(sharding.reduced);
  const Mesh coarse = refined(whole, cuts);
  auto on_coarse = [&](const Axes& axes) {
    Axes all;
    for (const AxisFactor& part : merged(axes)) add(all, axes_of_part(coarse, part));
    return all;
  };
  return with_axes(sharding, coarse, on_coarse);
}

std::vector<std::string> merged_names(std::span<const Axis> axes) {
  std::vector<std::string> names;
  for (const AxisFactor& part : merged(axes)) names.push_back(name_of(part));
  return names;
}

}  // namespace tutti
