// SPDX-License-Identifier: Apache-2.0
#include "tutti/tree/spec_axes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

std::optional<std::size_t> index_of(const Mesh& whole, const std::string& name) {
  const auto found = std::ranges::find(whole.axes(), std::string_view(name), &Axis::name);
  if (found == whole.axes().end()) return std::nullopt;
  return static_cast<std::size_t>(found - whole.axes().begin());
}

AxisFactor factor_named(const Mesh& whole, const SpecAxis& axis) {
  const Axis& found = whole.axes()[*index_of(whole, axis.name)];
  if (!axis.part) return {found, 1, found.size};
  return {found, axis.part->before, axis.part->size};
}

/// Adds to `cuts` where the part begins and ends.
std::optional<Cuts> with_part(const Mesh& whole, const Cuts& cuts, const AxisFactor& part) {
  Cuts own = cuts_of_whole(whole);
  const auto axis = std::ranges::find(whole.axes(), part.of) - whole.axes().begin();
  for (int cut : {part.before, part.before * part.size})
    if (cut > 1 && cut < part.of.size) own[static_cast<std::size_t>(axis)].push_back(cut);
  return joined(cuts, own);
}

/// The fault of a part by itself; empty: none.
std::string fault_of_part(const SpecAxis& axis, int of) {
  const auto [before, size] = *axis.part;
  const std::string text = to_string(axis);
  if (size < 2) return fmt::format("the part {} has size {}; a part has 2 positions at least", text, size);
  if (before < 1)
    return fmt::format("the part {} begins behind {} positions; write {}(1){} for the slowest part", text,
                       before, axis.name, size);
  if (std::int64_t{before} * size > of || of % (before * size) != 0)
    return fmt::format("{} times {} does not divide {}, the size of axis '{}'; {} is no part of it", before,
                       size, of, axis.name, text);
  return "";
}

bool overlap(const AxisFactor& a, const AxisFactor& b) {
  return a.of == b.of && a.before < b.before * b.size && b.before < a.before * a.size;
}

/// Why `axis` cannot stand in a spec with those that are named before it.
std::string fault_beside(const SpecAxis& axis, const AxisFactor& part, const std::vector<SpecAxis>& others,
                         const Mesh& whole) {
  for (const SpecAxis& other : others) {
    const AxisFactor there = factor_named(whole, other);
    if ((!axis.part && !other.part) || !overlap(part, there)) continue;
    return fmt::format("{} overlaps {}, which is named before; name each part of an axis once",
                       to_string(axis), to_string(other));
  }
  return "";
}

}  // namespace

SpecAxis part(std::string name, int before, int size) {
  return {std::move(name), SpecAxis::Part{before, size}};
}

std::string to_string(const SpecAxis& axis) {
  return axis.part ? fmt::format("{}({}){}", axis.name, axis.part->before, axis.part->size) : axis.name;
}

std::string_view advice_on_name(std::string_view name) {
  if (name == "None") return "write none for a dim that is not split";
  if (name.starts_with('\'') || name.starts_with('"')) return "write names without quotes, as in P(x, none)";
  return "use one of its axes";
}

std::optional<SpecFault> fault_of(const Mesh& mesh, const std::vector<SpecAxis>& axes) {
  const Mesh whole = mesh.whole();
  Cuts cuts = cuts_of(mesh);
  std::vector<SpecAxis> seen;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SpecAxis& axis = axes[i];
    const std::optional<std::size_t> index = index_of(whole, axis.name);
    if (!index)
      return SpecFault{i, Code::axis_unbound,
                       fmt::format("there is no axis '{}', the mesh is {}; {}", axis.name, to_string(whole),
                                   advice_on_name(axis.name))};
    std::string wrong = axis.part ? fault_of_part(axis, whole.axes()[*index].size) : "";
    if (!wrong.empty()) return SpecFault{i, Code::spec, wrong};
    const AxisFactor factor = factor_named(whole, axis);
    const std::optional<Cuts> more = with_part(whole, cuts, factor);
    if (!more) {
      wrong =
          fmt::format("{} does not fit the other parts of '{}': where it begins or ends, they do not; name "
                      "parts whose products divide each other",
                      to_string(axis), axis.name);
    } else {
      wrong = fault_beside(axis, factor, seen, whole);
    }
    if (!wrong.empty()) return SpecFault{i, Code::spec, wrong};
    cuts = *more;
    seen.push_back(axis);
  }
  return std::nullopt;
}

Mesh mesh_for(const Mesh& mesh, const std::vector<SpecAxis>& axes) {
  const Mesh whole = mesh.whole();
  Cuts cuts = cuts_of(mesh);
  for (const SpecAxis& axis : axes) cuts = with_part(whole, cuts, factor_named(whole, axis)).value();
  return refined(whole, cuts);
}

Axes axes_on(const Mesh& refined_mesh, const std::vector<SpecAxis>& axes) {
  Axes all;
  for (const SpecAxis& axis : axes) {
    const Axes some = axes_of_part(refined_mesh, factor_named(refined_mesh.whole(), axis));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace tutti
