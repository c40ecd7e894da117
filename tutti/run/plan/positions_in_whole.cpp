// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/plan/positions_in_whole.hpp"

namespace tutti {

std::int64_t number_in_whole(const Graph& graph, AxisSet axes, std::int64_t position) {
  const std::vector<std::int64_t> at = coordinates(graph.mesh, axes, position);
  std::int64_t number = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    if (has(axes, axis)) number = number * graph.whole.axes()[axis].size + graph.first[axis] + at[axis];
  return number;
}

std::vector<std::string> names_in_whole(const Graph& graph, AxisSet axes) {
  Type varies(DType::boolean, {});
  for (std::size_t axis = 0; axis < graph.mesh.axes().size(); ++axis)
    if (has(axes, axis)) varies = varies.with(graph.mesh.axes()[axis], State::varying);
  const std::vector<std::string> all = Layout(graph.whole, Storage::by_type, {}, {}).holders(varies);
  std::vector<std::string> own;
  for (std::int64_t p = 0; p < positions(graph.mesh, axes); ++p)
    own.push_back(all[static_cast<std::size_t>(number_in_whole(graph, axes, p))]);
  return own;
}

}  // namespace tutti
