// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shardings.hpp"

#include <cstring>
#include <sstream>

#include "tests/support/values.hpp"
#include "tutti/base/require.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

Axis axis_named(const Mesh& mesh, const std::string& name) {
  for (const Axis& axis : mesh.axes())
    if (axis.name == name) return axis;
  fail(Code::internal, "no axis {}", name);
}

// The sharding, and all that split its dims over more axes.
void add_with_more_axes(const Sharding& sharding, std::vector<Sharding>& found) {
  found.push_back(sharding);
  for (std::size_t dim = 0; dim < sharding.dims.size(); ++dim)
    for (const Axis& axis : sharding.mesh.axes()) {
      if (contains(axes_of(sharding), axis)) continue;
      // In one order only: later dims are filled after earlier ones.
      bool is_filled = false;
      for (std::size_t later = dim + 1; later < sharding.dims.size(); ++later)
        is_filled = is_filled || !sharding.dims[later].empty();
      if (is_filled) continue;
      Sharding more = sharding;
      more.dims[dim].push_back(axis);
      add_with_more_axes(more, found);
    }
}

}  // namespace

Sharding sharding_on(const Mesh& mesh, const std::string& dims) {
  Sharding sharding{mesh, {Axes{}}, {}, {}};
  std::istringstream words(dims);
  for (std::string word; words >> word;) {
    if (word == "|") sharding.dims.emplace_back();
    else sharding.dims.back().push_back(axis_named(mesh, word.substr(0, word.find(','))));
  }
  return sharding;
}

std::vector<Sharding> all_shardings(const Mesh& mesh, int rank) {
  std::vector<Sharding> found;
  add_with_more_axes(unsharded(mesh, rank), found);
  return found;
}

Shape even_shape(const Mesh& mesh, int rank) {
  return Shape(std::vector<std::int64_t>(static_cast<std::size_t>(rank), mesh.devices()));
}

Tensor numbered(DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
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
    Tensor part(whole.dtype(), Shape(sizes));
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
