// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/search/layout_state.hpp"

namespace tutti {

std::int64_t PlanSpace::joint_size(const std::vector<int>& some) const {
  std::int64_t product = 1;
  for (int axis : some) product *= axes[static_cast<std::size_t>(axis)];
  return product;
}

std::int64_t PlanSpace::block_elements(const PlanState& state) const {
  std::int64_t product = 1;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const std::int64_t parts = joint_size(state.dims[dim]);
    product *= (shape[dim] + parts - 1) / parts;
  }
  return product;
}

}  // namespace tutti
