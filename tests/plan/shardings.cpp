// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/shardings.hpp"

#include <algorithm>

namespace tutti {
namespace {

bool divides(const Sharding& sharding, const Shape& shape) {
  for (int dim = 0; dim < shape.rank(); ++dim)
    if (shape[dim] % joint_size(sharding.dims[static_cast<std::size_t>(dim)]) != 0) return false;
  return true;
}

/// Adds `sharding` and all that have more of the axes `left`; each once, since a dim's axes are chosen after those
/// before.
void add(Sharding sharding, std::size_t dim, const Axes& left, const Shape& shape,
         std::vector<Sharding>& found) {
  if (!divides(sharding, shape)) return;
  if (dim == sharding.dims.size()) {
    found.push_back(std::move(sharding));
    return;
  }
  add(sharding, dim + 1, left, shape, found);
  for (const Axis& axis : left) {
    Sharding more = sharding;
    more.dims[dim].push_back(axis);
    add(std::move(more), dim, without(left, axis), shape, found);
  }
}

}  // namespace

std::vector<Sharding> all_shardings(const Mesh& mesh, const Shape& shape, Sums sums) {
  std::vector<Sharding> found;
  const std::size_t subsets = sums == Sums::some ? std::size_t{1} << mesh.axes().size() : 1;
  for (std::size_t bits = 0; bits < subsets; ++bits) {
    Sharding begin = unsharded(mesh, shape.rank());
    Axes left;
    for (std::size_t i = 0; i < mesh.axes().size(); ++i)
      ((bits >> i & 1) != 0 ? begin.unreduced : left).push_back(mesh.axes()[i]);
    add(std::move(begin), 0, left, shape, found);
  }
  return found;
}

Sharding sharding_of(const Mesh& mesh, int rank, std::string_view text) {
  Sharding sharding{mesh, {}, {}, {}};
  Axes* list = nullptr;
  for (char letter : text) {
    if (letter == '[') list = &sharding.dims.emplace_back();
    if (letter == '{') list = &sharding.unreduced;
    for (const Axis& axis : mesh.axes())
      if (axis.name[0] == letter) list->push_back(axis);
  }
  sharding.dims.resize(static_cast<std::size_t>(rank));
  return sharding;
}

Mesh mesh_of(std::string_view text) {
  std::vector<std::pair<std::string, int>> axes;
  for (std::size_t at = 0; at < text.size();) {
    std::string name(1, text[at++]);
    int size = 0;
    for (; at < text.size() && text[at] != ' '; ++at) size = 10 * size + (text[at] - '0');
    axes.emplace_back(std::move(name), size);
    if (at < text.size()) ++at;
  }
  return Mesh(axes);
}

}  // namespace tutti
