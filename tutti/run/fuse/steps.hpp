// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/run/fuse/region_uses.hpp"
#include "tutti/run/graph/graph.hpp"
#include "tutti/run/graph/space.hpp"

namespace tutti {

/// A fused region, or one task of another kind. A step is placed and run as a whole. Its units are the
/// positions along its outer axes; a region folds over its inner axes, inside a unit.
struct Step {
  enum class Kind { region, columns, copy, opaque, transfer, await, control };
  Kind kind;
  std::vector<TaskId> tasks;
  AxisSet axes = 0, inner = 0;
  // The shape of a region's values. If `kept` is set, others have one element per row: the first `kept` dims
  // of the shape, possibly with additional dims of size 1.
  Shape shape;
  std::optional<int> kept;
  Shape row_shape;
  /// How a region divides its rows, if it folds pieces of them. `kept` is not set then.
  struct Pieces {
    int kept;
    std::int64_t columns;
    bool operator==(const Pieces&) const = default;
  };
  std::optional<Pieces> pieces;
  int folds = 0;

  std::vector<Address> reads;    // of buffers that other steps or callers write
  std::vector<BufferId> writes;  // buffers that other steps or callers read
  // The space of one unit: for a region its values, for a copy its outermost loop x all other loops, for a
  // fold over columns its result, for an opaque kernel its lines x their elements.
  Space space;
  AxisSet mergeable = 0;  // outer axes that can be part of the space, saving one unit per position
  RegionUses uses;        // of a region

  AxisSet outer() const { return axes & ~inner; }
};

struct Steps {
  Indexed<StepId, Step> list;                      // operands before their readers
  Indexed<BufferId, std::optional<StepId>> maker;  // none: input or constant
  /// The step that writes it first: the maker, or a step of the carrier for which the maker waits.
  Indexed<BufferId, std::optional<StepId>> begun;
  Indexed<BufferId, bool> in_memory;  // read by another step or a caller, or made by no region
};

/// The future whose tasks the step does, on the carrier; none for every other step.
std::optional<std::size_t> future_of(const Graph& graph, const Step& step);
/// The work of a step with sub-programs; null for every other step.
const SubWork* sub_work(const Graph& graph, const Step& step);

/// Groups tasks into steps. A reduction of rows joins the first region that it fits, at or after its
/// operand's; any other task joins the last region that it fits.
Steps make_steps(const Graph& graph, Fusion fusion);

/// The loops over an operand of a region's task: over the merged axes, then over the task's dims.
struct RegionOperand {
  std::vector<std::int64_t> sizes, strides;
};
RegionOperand over_region(const Graph& graph, const Address& operand, const Shape& task_shape,
                          AxisSet merged);
/// The space of one unit of a region, if the `merged` outer axes are part of it.
Space space_of(const Graph& graph, const Step& step, AxisSet merged);
/// The outer axes among `candidates` that can be part of a region's space without a worse access pattern
/// of any value.
AxisSet mergeable_axes(const Graph& graph, const Steps& steps, StepId step, AxisSet candidates);
/// True for values with one element per row of the region.
bool is_row_value(const Step& step, const Shape& task_shape);

}  // namespace tutti
