// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shardings.hpp"

#include <cstring>
#include <sstream>

#include "tests/support/values.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tree/specs.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

Axis axis_named(const Mesh& mesh, const std::string& name) {
  for (const Axis& axis : mesh.axes())
    if (axis.name == name) return axis;
  fail(Code::internal, "no axis {}", name);
}

bool divides(const Sharding& sharding, const Shape& shape) {
  for (int dim = 0; dim < shape.rank(); ++dim)
    if (shape[dim] % joint_size(sharding.dims[static_cast<std::size_t>(dim)]) != 0) return false;
  return true;
}

/// Adds `sharding` and all that have more of the axes `left`; each once, since a dim's axes are chosen after
/// those before.
void add_finer(Sharding sharding, std::size_t dim, const Axes& left, std::vector<Sharding>& found) {
  if (dim == sharding.dims.size()) {
    found.push_back(std::move(sharding));
    return;
  }
  add_finer(sharding, dim + 1, left, found);
  for (const Axis& axis : left) {
    Sharding more = sharding;
    more.dims[dim].push_back(axis);
    add_finer(std::move(more), dim, without(left, axis), found);
  }
}

}  // namespace

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

Sharding sharding_of(const Mesh& mesh, int rank, std::string_view text) {
  std::string dims, sums;
  std::string* list = &dims;
  int opened = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '[' || letter == '{') {
      list = letter == '[' ? &dims : &sums;
      if (letter == '[' && opened++ > 0) dims += ", ";
      if (text[at + 1] == ']') dims += "none";
      else if (letter == '[') dims += "(";
    } else if (letter == ']') {
      if (text[at - 1] != '[') dims += ")";
    } else if (letter >= 'a' && letter <= 'z') {
      if (!list->empty() && list->back() != '(') *list += ", ";
      *list += letter;
    } else if (letter == '(' || letter == ')' || (letter >= '0' && letter <= '9')) {
      *list += letter;
    }
  }
  const std::string spec = "P(" + dims + ")" + (sums.empty() ? "" : "+U(" + sums + ")");
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(rank), 1);
  return parse_sharding(spec, mesh, Type(DType::f32, Shape(ones)));
}

Sharding sharding_on(const Mesh& mesh, const std::string& dims) {
  Sharding sharding{mesh, {Axes{}}, {}, {}};
  std::istringstream words(dims);
  for (std::string word; words >> word;) {
    if (word == "|") sharding.dims.emplace_back();
    else sharding.dims.back().push_back(axis_named(mesh, word.substr(0, word.find(','))));
  }
  return sharding;
}

std::vector<Sharding> all_shardings(const Mesh& mesh, int rank, Sums sums) {
  std::vector<Sharding> found;
  const std::size_t subsets = sums == Sums::included ? std::size_t{1} << mesh.axes().size() : 1;
  for (std::size_t bits = 0; bits < subsets; ++bits) {
    Sharding begin = unsharded(mesh, rank);
    Axes left;
    for (std::size_t i = 0; i < mesh.axes().size(); ++i)
      ((bits >> i & 1) != 0 ? begin.unreduced : left).push_back(mesh.axes()[i]);
    add_finer(std::move(begin), 0, left, found);
  }
  return found;
}

std::vector<Sharding> all_shardings(const Mesh& mesh, const Shape& shape, Sums sums) {
  std::vector<Sharding> found = all_shardings(mesh, shape.rank(), sums);
  std::erase_if(found, [&](const Sharding& sharding) { return !divides(sharding, shape); });
  return found;
}

Shape even_shape(const Mesh& mesh, int rank) {
  return Shape(std::vector<std::int64_t>(static_cast<std::size_t>(rank), mesh.devices()));
}

Tensor numbered(DType dtype, const Shape& shape) {
  Tensor tensor(shape, dtype);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) put_element(tensor, i, static_cast<double>(i));
  return tensor;
}

PerDevice blocks_of(const Tensor& whole, const Sharding& sharding) {
  const Shape& shape = whole.shape();
  PerDevice blocks;
  for (int device = 0; device < sharding.mesh.devices(); ++device) {
    const Box box = block(device, sharding, shape);
    std::vector<std::int64_t> sizes;
    for (std::size_t dim = 0; dim < box.begin.size(); ++dim) sizes.push_back(box.end[dim] - box.begin[dim]);
    Tensor part(Shape(sizes), whole.dtype());
    for (std::int64_t i = 0; i < part.elements(); ++i) {
      std::int64_t rest = i, index = 0, stride = 1;
      for (int dim = shape.rank(); dim-- > 0; stride *= shape[dim]) {
        const auto at = static_cast<std::size_t>(dim);
        index += (box.begin[at] + rest % sizes[at]) * stride;
        rest /= sizes[at];
      }
      put_element(part, i, whole.at(index));
    }
    blocks.push_back(std::move(part));
  }
  return blocks;
}

}  // namespace tutti
