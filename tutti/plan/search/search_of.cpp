// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/search/search_of.hpp"

#include <algorithm>

#include "tutti/plan/request/links.hpp"

namespace tutti {

PlanSearch search_of(const PlanRequest& request, const StatesOf& states, StateGraph& graph) {
  PlanSearch wanted;
  wanted.from = graph.number(states.from());
  wanted.to = graph.number(states.to());
  wanted.element_bytes = static_cast<std::int64_t>(bytes_per_element(request.whole.dtype()));
  wanted.objective = request.options.objective;
  if (!request.options.links.empty())
    for (const Axes& unit : states.units()) wanted.costs.axes.push_back(cost_along(unit, request.options));
  const std::int64_t larger = std::max(graph.block(wanted.from), graph.block(wanted.to));
  const double most = static_cast<double>(larger) * request.options.cap * cap_rounding;
  wanted.most_elements = most < 0x1p62 ? static_cast<std::int64_t>(most) : std::int64_t{1} << 62;
  return wanted;
}

std::int64_t block_bytes(const PlanRequest& request, const Sharding& sharding) {
  return static_cast<std::int64_t>(padded_local_type(request.whole, sharding).bytes());
}

bool is_even(const Shape& shape, const Sharding& sharding) {
  for (int dim = 0; dim < shape.rank(); ++dim)
    if (shape[dim] % joint_size(sharding.dims[static_cast<std::size_t>(dim)]) != 0) return false;
  return true;
}

bool is_even(const PlanRequest& request) {
  return is_even(request.whole.shape(), request.from) && is_even(request.whole.shape(), request.to);
}

}  // namespace tutti
