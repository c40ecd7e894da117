// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/block.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti {

std::int64_t Box::elements() const {
  std::int64_t product = 1;
  for (std::size_t dim = 0; dim < begin.size(); ++dim) product *= end[dim] - begin[dim];
  return product;
}

Box intersection(const Box& a, const Box& b) {
  Box both;
  for (std::size_t dim = 0; dim < a.begin.size(); ++dim) {
    both.begin.push_back(std::max(a.begin[dim], b.begin[dim]));
    both.end.push_back(std::max(both.begin[dim], std::min(a.end[dim], b.end[dim])));
  }
  return both;
}

Box block(int device, const Sharding& sharding, const Shape& shape) {
  require(static_cast<int>(sharding.dims.size()) == shape.rank(), Code::spec,
          "{} is for {} dims, the array has {}; name one axis, several, or none for each dim", sharding,
          sharding.dims.size(), shape.rank());
  Box box;
  for (int dim = 0; dim < shape.rank(); ++dim) {
    const Axes& axes = sharding.dims[static_cast<std::size_t>(dim)];
    const std::int64_t position = sharding.mesh.position(device, axes), parts = joint_size(axes);
    const std::int64_t n = shape[dim], size = (n + parts - 1) / parts;
    box.begin.push_back(std::min(position * size, n));
    box.end.push_back(std::min((position + 1) * size, n));
  }
  return box;
}

}  // namespace tutti
