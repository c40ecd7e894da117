// SPDX-License-Identifier: Apache-2.0
// The iteration space of a region, and the access patterns of its values.
#include <algorithm>

#include "tutti/run/fuse/steps.hpp"

namespace tutti {

bool is_row_value(const Step& step, const Shape& task_shape) { return task_shape != step.shape; }

RegionOperand over_region(const Graph& graph, const Address& operand, const Shape& task_shape,
                          AxisSet merged) {
  RegionOperand over;
  for (std::size_t i = 0; i < operand.axes.size(); ++i) {
    if (!has(merged, i)) continue;
    over.sizes.push_back(graph.mesh.axes()[i].size);
    over.strides.push_back(operand.axes[i]);
  }
  over.sizes.insert(over.sizes.end(), task_shape.begin(), task_shape.end());
  over.strides.insert(over.strides.end(), operand.dims.begin(), operand.dims.end());
  return over;
}

Space space_of(const Graph& graph, const Step& step, AxisSet merged) {
  // Smaller tiles spend much of their time on calls; larger ones do not stay in L1.
  std::int64_t tile_bytes = step.inner != 0 ? 4096 : 8192;
  std::int64_t widest = 1, rows = positions(graph.mesh, merged), columns = 1;
  std::optional<std::vector<StridedLoop>> uneven;  // of an operand that is not dense; two loops if possible
  for (TaskId i : step.tasks) {
    const Task& a = graph.tasks[i];
    for (BufferId buffer : a.results)
      widest =
          std::max(widest, static_cast<std::int64_t>(bytes_per_element(graph.buffers[buffer].type.dtype())));
    for (const Address& operand : a.operands) {
      std::int64_t bytes = element_bytes(graph, operand);
      widest = std::max(widest, bytes);
      if (is_row_value(step, a.shape) || assembles(a)) continue;
      RegionOperand over = over_region(graph, operand, a.shape, merged);
      std::vector<StridedLoop> loops = collapsed(over.sizes, over.strides);
      if (loops.size() >= 2 && (!uneven || (uneven->size() != 2 && loops.size() == 2))) uneven = loops;
    }
  }
  if (std::optional<int> kept = step.pieces ? step.pieces->kept : step.kept) {
    columns = elements_from(step.shape, *kept);
    for (int i = 0; i < *kept; ++i) rows *= step.shape[i];
    if (step.pieces) return {rows, columns, 1, step.pieces->columns};
  } else {
    columns = rows * step.shape.elements();
    rows = 1;
    if (uneven && columns > 0) {
      rows = columns / uneven->back().size;
      columns = uneven->back().size;
    }
  }
  return tiled(rows, columns, step.kept.has_value(), tile_bytes / widest);
}

namespace {

/// The access patterns of a region's values in memory, if the `merged` axes are part of its space.
std::vector<Pattern::Kind> patterns(const Graph& graph, const Steps& steps, StepId index, AxisSet merged) {
  const Step& step = steps.list[index];
  Space space = space_of(graph, step, merged);
  std::vector<Pattern::Kind> kinds;
  auto add = [&](const Address& address, const Shape& shape) {
    RegionOperand over = over_region(graph, address, shape, merged);
    kinds.push_back(pattern_of(collapsed(over.sizes, over.strides), space.rows,
                               is_row_value(step, shape) ? 1 : space.columns, element_bytes(graph, address))
                        .kind);
  };
  for (TaskId i : step.tasks) {
    const Task& task = graph.tasks[i];
    for (const Address& operand : task.operands)
      if (steps.maker[operand.buffer] != index && !assembles(task)) add(operand, task.shape);
    // Terms are offsets from an operand in memory, so this operand cannot be loaded into a tile.
    if (fold_of_terms(task) && kinds.back() != Pattern::Kind::dense) kinds.back() = Pattern::Kind::irregular;
    for (BufferId buffer : task.results)
      if (steps.in_memory[buffer]) add(natural_address(graph, buffer), graph.buffers[buffer].type.shape());
  }
  return kinds;
}

}  // namespace

AxisSet mergeable_axes(const Graph& graph, const Steps& steps, StepId step, AxisSet candidates) {
  AxisSet merged = 0;
  std::vector<Pattern::Kind> before = patterns(graph, steps, step, 0);
  for (std::size_t axis = graph.mesh.axes().size(); axis-- > 0;) {
    if (!has(candidates, axis)) continue;
    AxisSet wider = merged | AxisSet{1} << axis;
    std::vector<Pattern::Kind> after = patterns(graph, steps, step, wider);
    bool as_good = std::ranges::equal(before, after, [](Pattern::Kind was, Pattern::Kind is) {
      return was == is ||
             (was == Pattern::Kind::dense && is == Pattern::Kind::scalar);  // all positions share the value
    });
    if (!as_good) break;
    merged = wider;
  }
  return merged;
}

}  // namespace tutti
