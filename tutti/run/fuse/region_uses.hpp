// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "tutti/run/fuse/nodes.hpp"

namespace tutti {

/// Which atoms of a region become one instruction with others, and how long its values live. Atoms are numbered by
/// their position in the node, values by their roots.
struct RegionUses {
  /// A function of two operands, or a gate: a comparison with the limit that its only user selects.
  struct Link {
    enum class Before : std::uint8_t { none, left, right, both };
    std::size_t atom;                                      // of a gate: the selection
    Before before;                                         // which operand is the result of the link before
    std::optional<std::size_t> comparison = std::nullopt;  // of a gate
  };
  using Chain = std::vector<Link>;
  // By the last atom: a gate alone, two links and more, or all that a row is made by, which the last atom folds.
  // Where two chains begin with the same atom, both do it.
  std::map<std::size_t, Chain> chains;
  // Every other atom of a chain -> its last; of two chains the later.
  std::map<std::size_t, std::size_t> merged_into;
  std::map<int, std::size_t> last_use;  // of values made here: when the last instruction reads it
};

RegionUses uses_of(const Graph& graph, const Nodes& nodes, int node);

/// Where the links find their operands: the first both, of which the second is the limit of a gate; the others one,
/// null for a square.
std::vector<const Address*> operands_of(const Graph& graph, const Node& node, const RegionUses::Chain& chain);
/// What a link does with the value before and its operand; none if chains have nothing like it.
std::optional<ChainStep::Fn> step_of(const Graph& graph, const Node& node, const RegionUses::Link& link);

/// The function of an atom that applies one to two operands, else null.
const BinaryFn* binary_fn(const Atom& atom);
const CompareDirection* comparison(const Atom& atom);

}  // namespace tutti
