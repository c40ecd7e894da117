// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "tutti/run/graph/graph.hpp"
#include "tutti/tensor/loops/chains.hpp"

namespace tutti {

struct Step;
struct Steps;

/// Which tasks of a region become one instruction with others, and how long its values live. Tasks are numbered by
/// their position in the step, values by their buffers.
struct RegionUses {
  /// A function of two operands, or a gate: a comparison with the limit that its only user selects.
  struct Link {
    enum class Before : std::uint8_t { first, left, right, both };  // first: there is none
    std::size_t task;                                               // of a gate: the selection
    Before before;                                         // which operand is the result of the link before
    std::optional<std::size_t> comparison = std::nullopt;  // of a gate
  };
  using Chain = std::vector<Link>;
  // By the last task: a gate alone, two links and more, or all that a row is made by, which the last task folds.
  // Where two chains begin with the same task, both do it.
  std::map<std::size_t, Chain> chains;
  // Every other task of a chain -> its last; of two chains the later.
  std::map<std::size_t, std::size_t> merged_into;
  std::map<BufferId, std::size_t> last_use;  // of values made here: when the last instruction reads it
};

RegionUses uses_of(const Graph& graph, const Steps& steps, StepId step);

/// Where the links find their operands: the first both, of which the second is the limit of a gate; the others one,
/// null for a square.
std::vector<const Address*> operands_of(const Graph& graph, const Step& step, const RegionUses::Chain& chain);
/// What a link does with the value before and its operand; none if chains have nothing like it.
std::optional<ChainStep::Fn> step_of(const Graph& graph, const Step& step, const RegionUses::Link& link);

/// The function of an task that applies one to two operands, else null.
const BinaryFn* binary_fn(const Task& task);
const CompareDirection* comparison(const Task& task);

}  // namespace tutti
