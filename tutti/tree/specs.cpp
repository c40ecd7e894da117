// SPDX-License-Identifier: Apache-2.0
#include "tutti/tree/specs.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tree/spec_axes.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

Axis axis_named(const Mesh& mesh, const std::string& name, std::string_view what) {
  for (const Axis& axis : mesh.axes())
    if (axis.name == name) return axis;
  require(!mesh.axes().empty(), Code::axis_unbound,
          "{0} names axis '{1}', but the mesh has no axes; hand in one that has it: Mesh({{{{\"{1}\", 4}}}})",
          what, name);
  fail(Code::axis_unbound, "{} names axis '{}', but the mesh is {}; {}", what, name, to_string(mesh),
       advice_on_name(name));
}

// "x, z(2)4"
std::string listed(const std::vector<SpecAxis>& axes) {
  std::string text;
  for (const SpecAxis& axis : axes) text += (text.empty() ? "" : ", ") + to_string(axis);
  return text;
}

// Brackets tell an axis that is called none from no axis.
std::string entry_text(const SpecEntry& dim) {
  if (dim.axes.empty()) return "none";
  const std::string axes = listed(dim.axes);
  return dim.axes.size() > 1 || axes == "none" ? "(" + axes + ")" : axes;
}

}  // namespace

std::string to_string(const P& spec) {
  std::string text;
  for (const SpecEntry& dim : spec.dims_) text += (text.empty() ? "" : ", ") + entry_text(dim);
  text = "P(" + text + ")";
  if (!spec.unreduced_.empty()) text += "+U(" + listed(spec.unreduced_) + ")";
  if (!spec.reduced_.empty()) text += "+R(" + listed(spec.reduced_) + ")";
  return text;
}

Axes internal::axes_named(const Mesh& mesh, const std::vector<std::string>& names, std::string_view what) {
  Axes axes;
  for (const std::string& name : names) axes.push_back(axis_named(mesh, name, what));
  return axes;
}

void internal::require_whole_axes(const Sharding& sharding, const Mesh& mesh) {
  require(sharding.mesh == mesh, Code::spec,
          "{} names a part of an axis, but programs bind whole axes; take a mesh that has the part as an "
          "axis, or "
          "reshard finished data outside of the program",
          sharding);
}

P P::unreduced(SpecEntry axes) const {
  P changed = *this;
  changed.unreduced_ = std::move(axes.axes);
  return changed;
}

P P::reduced(SpecEntry axes) const {
  P changed = *this;
  changed.reduced_ = std::move(axes.axes);
  return changed;
}

Sharding P::on(const Mesh& mesh, Type whole_or_part) const {
  auto rank = static_cast<std::size_t>(whole_or_part.rank());
  bool is_varying_scalar = rank == 0 && !whole_or_part.states().empty();
  require(dims_.size() <= rank, Code::spec, "the spec names {}, but {} has {}; drop the last {}{}",
          counted(std::ssize(dims_), "dim"), whole_or_part, rank, dims_.size() - rank,
          is_varying_scalar ? ", or give it a dim: expand_dims(x, 0)" : "");
  std::vector<SpecAxis> all;
  for (const SpecEntry& dim : dims_) all.insert(all.end(), dim.axes.begin(), dim.axes.end());
  all.insert(all.end(), unreduced_.begin(), unreduced_.end());
  all.insert(all.end(), reduced_.begin(), reduced_.end());
  for (const SpecAxis& axis : all) axis_named(mesh.whole(), axis.name, "the spec");
  if (const std::optional<SpecFault> fault = fault_of(mesh, all)) fail(fault->code, "{}", fault->message);
  const Mesh refined_mesh = mesh_for(mesh, all);
  Sharding sharding = unsharded(refined_mesh, whole_or_part.rank());
  for (std::size_t i = 0; i < dims_.size(); ++i) sharding.dims[i] = axes_on(refined_mesh, dims_[i].axes);
  sharding.unreduced = axes_on(refined_mesh, unreduced_);
  sharding.reduced = axes_on(refined_mesh, reduced_);
  // Parts may make up a whole axis. A mesh that is cut already keeps its cuts.
  return mesh == mesh.whole() ? on_coarsest_mesh(sharding) : sharding;
}

std::vector<P> Specs::per_leaf(const Structure& tree, const std::string& what) const {
  if (!leaf_.empty()) return std::vector<P>(leaf_count(tree), leaf_[0]);
  // Braces around braces are transparent on both sides: compilers differ in what {specs} means.
  if (parts_.size() == 1 && (tree.leaf || tree.children.size() != 1)) {
    require(tree.leaf || tree.children.empty() || parts_[0].leaf_.empty(), Code::spec,
            "{} has one spec in braces, which is for one part, but there are {}; write it without braces for "
            "all of them, or give one spec for each",
            what, tree.children.size());
    return parts_[0].per_leaf(tree, what);
  }
  if (tree.children.size() == 1 && parts_.size() != 1) return per_leaf(tree.children[0], what);
  require(!tree.leaf && parts_.size() == tree.children.size(), Code::tree,
          "{} has {} for {}; give one spec for all of it, or one for each part", what,
          counted(std::ssize(parts_), "spec"),
          tree.leaf ? "one array" : "a tree of " + counted(std::ssize(tree.children), "part"));
  std::vector<P> all;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::vector<P> part = parts_[i].per_leaf(tree.children[i], what + tree.children[i].label);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace tutti
