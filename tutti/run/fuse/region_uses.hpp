// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "tutti/run/graph/graph.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

struct Step;
struct Steps;

/// Which tasks of a region join into one instruction, and where each value of the region is read last. A task
/// is numbered by its position in the step, a value by its buffer.
struct RegionUses {
  /// A link of a chain: a function of two operands, or a gate. A gate is a comparison with a limit, and the
  /// select, its only reader, that yields the limit.
  struct Link {
    // nothing: no operand comes from a link before, as in the first link; or the link is a final fold.
    enum class Before : std::uint8_t { nothing, left, right, both };
    std::size_t task;                                      // of a gate: its select
    Before before;                                         // the operand that the link before computes
    std::optional<std::size_t> comparison = std::nullopt;  // of a gate
    std::vector<Link> aside = {};  // the chain that computes the other operand; empty: none
  };
  using Chain = std::vector<Link>;
  // The chains, each at its last task: a gate alone, two or more links, or the links that compute a row and
  // the task that folds this row. A task that begins two chains is computed by both.
  std::map<std::size_t, Chain> chains;
  // Each earlier task of a chain -> the chain's last task; of two chains, the later last task.
  std::map<std::size_t, std::size_t> merged_into;
  std::map<std::size_t, std::size_t>
      converted;  // per sum of pieces that converts its elements: the conversion
  /// The task at which task i happens.
  std::size_t done_at(std::size_t i) const {
    const auto later = merged_into.find(i);
    return later == merged_into.end() ? i : later->second;
  }
  std::map<BufferId, std::size_t> last_use;  // per value made here: the task at which it is read last
};

RegionUses uses_of(const Graph& graph, const Steps& steps, StepId step);

/// A step of a chain and its operand; null if the step reads none.
struct StepOfChain {
  const Address* operand;
  ChainStep step;
};
/// The steps of the links, in order, without a final fold. `repeats` is not set.
std::vector<StepOfChain> steps_of(const Graph& graph, const Step& step, const RegionUses::Chain& chain);
/// The chain step that a link computes; none if chains do not have its function.
std::optional<ChainStep::Fn> step_of(const Graph& graph, const Step& step, const RegionUses::Link& link);

/// The kernel of a sum of pieces that makes the conversion `convert` itself; null if there is none.
ReduceRowsKernel converting_kernel(const Graph& graph, const Task& convert, const Task& sum);

/// The binary function that a task applies; null for every other task.
const BinaryFn* binary_fn(const Task& task);
const CompareDirection* comparison(const Task& task);

}  // namespace tutti
