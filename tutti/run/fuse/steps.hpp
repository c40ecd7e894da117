// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/run/fuse/region_uses.hpp"
#include "tutti/run/graph/graph.hpp"
#include "tutti/run/graph/space.hpp"

namespace tutti {

/// What is placed and run as one: a fused region, or one task of another kind. Its units are the positions
/// along its outer axes; a region's folds happen over its inner axes, inside a unit.
struct Step {
  enum class Kind { region, columns, copy, units, control };
  Kind kind;
  std::vector<TaskId> tasks;
  AxisSet axes = 0, inner = 0;
  // A region's values have this shape; with `kept` also that of its first dims alone, one element per row, and of more
  // dims of one element.
  Shape shape;
  std::optional<int> kept;
  Shape row_shape;
  int folds = 0;

  std::vector<Address> reads;    // of buffers that other steps make, or callers
  std::vector<BufferId> writes;  // buffers that other steps or callers read
  Space space;            // of one unit of a region, or of a copy: its outermost loop by all the others
  AxisSet mergeable = 0;  // outer axes that may be part of a region's space: units for nothing
  RegionUses uses;        // of a region

  AxisSet outer() const { return axes & ~inner; }
};

struct Steps {
  Indexed<StepId, Step> list;                      // in an order in which they can be done
  Indexed<BufferId, std::optional<StepId>> maker;  // none: input or constant
  Indexed<BufferId, bool> in_memory;               // read outside the step that makes it
};

/// The work of a step with sub-programs; null of every other.
const SubWork* sub_work(const Graph& graph, const Step& step);

enum class Fusion { on, off };
/// Gathers tasks in steps. Tasks whose results shrink join their operands' region, others the latest region they fit.
Steps make_steps(const Graph& graph, Fusion fusion);

/// The strides of an operand of `task` over [merged axes, dims] of its region, and the sizes of that space.
struct RegionOperand {
  std::vector<std::int64_t> sizes, strides;
};
RegionOperand over_region(const Graph& graph, const Address& operand, const Shape& task_shape,
                          AxisSet merged);
/// The space of one unit of a region when the `merged` outer axes are part of it.
Space space_of(const Graph& graph, const Step& step, AxisSet merged);
/// The outer axes among `candidates` along which all values of a region lie so that they can be part of its space.
AxisSet mergeable_axes(const Graph& graph, const Steps& steps, StepId step, AxisSet candidates);
/// True for values that have one element per row of the region.
bool is_row_value(const Step& step, const Shape& task_shape);

}  // namespace tutti
