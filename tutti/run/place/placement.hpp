// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/place/cost.hpp"

namespace tutti {

/// Which plan to make. Every plan gives the same bits.
enum class PlanChoice {
  cheapest,    // by the cost model
  one_worker,  // everything on worker 0
  by_axis,     // split whatever can be split, by axes first
  by_tiles,    // split whatever can be split, by tiles first
};

/// How the work of a step is given to the workers. Together: all of them run each sub-program, which says how.
struct Split {
  enum class By { worker, axis, tiles, together } by = By::worker;
  std::size_t which = 0;  // the worker, or the mesh axis

  bool operator==(const Split&) const = default;
};

/// When a step is done, and by whom. Between phases all workers meet; inside one, a worker does its steps in order.
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
/// True if, whenever `reader` runs under its split, each worker reads of the value at `address` only what it wrote
/// itself as part of `writer`.
bool reads_own_part(const Graph& graph, const SplitStep& writer, const SplitStep& reader,
                    const Address& address);
/// Regions whose tiles cover the same elements, of whatever devices.
bool tiles_alike(const Step& a, const Step& b);
/// The part of 0 .. size that `worker` does.
struct Range {
  std::int64_t begin, end;
};
Range part_of(std::int64_t size, std::size_t worker, std::size_t workers);
/// Of an `amount` of work what each worker does under the step's split.
std::vector<double> divided(const Graph& graph, const SplitStep& step, int workers, double amount);
/// How long each worker takes for its part of a step, in nanoseconds, as estimated.
std::vector<double> loads_of(const Graph& graph, const SplitStep& step, const StepCost& cost, int workers);

}  // namespace tutti
