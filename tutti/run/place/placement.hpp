// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "tutti/run/place/cost.hpp"

namespace tutti {

/// One worker runs the whole step.
struct OnWorker {
  std::size_t worker = 0;
  bool operator==(const OnWorker&) const = default;
};
/// Each worker runs the units at some of the positions along a mesh axis.
struct ByAxis {
  std::size_t axis;
  bool operator==(const ByAxis&) const = default;
};
/// Each worker runs some of the tiles of every unit.
struct ByTiles {
  bool operator==(const ByTiles&) const = default;
};
/// All workers run each sub-program, whose own plan splits the work.
struct Together {
  bool operator==(const Together&) const = default;
};
/// How a step is split over the workers.
using Split = std::variant<OnWorker, ByAxis, ByTiles, Together>;

/// Phase and split of a step. A barrier of all workers separates phases; within a phase each worker runs its
/// steps in order.
struct Assignment {
  std::size_t phase = 0;
  Split split = {};
};

struct Placement {
  int workers = 1;
  std::size_t phases = 0;
  PlanTimes times;
  Indexed<StepId, Assignment> of;
};
Placement place(const Graph& graph, const Steps& steps, const StepCosts& costs, int workers,
                PlanChoice choice);

struct SplitStep {
  const Step& step;
  const Split& split;
};
/// True if each worker, as part of `reader`, reads only those elements of the value at `address` that the
/// same worker wrote as part of `writer`.
bool reads_own_part(const Graph& graph, const SplitStep& writer, const SplitStep& reader,
                    const Address& address);
/// True if `a` and `b` are regions whose tiles cover the same elements, for any devices.
bool tiles_alike(const Step& a, const Step& b);
/// The part of [0, size) that `worker` does.
struct WorkRange {
  std::int64_t begin, end;
};
WorkRange part_of(std::int64_t size, std::size_t worker, std::size_t workers);
/// The part of `amount` that falls to each worker under the step's split.
std::vector<double> divided(const Graph& graph, const SplitStep& step, int workers, double amount);
/// Estimated time of each worker's part of a step, in nanoseconds.
std::vector<double> loads_of(const Graph& graph, const SplitStep& step, const StepCost& cost, int workers);

}  // namespace tutti
