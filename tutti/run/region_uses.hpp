// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "tutti/run/nodes.hpp"

namespace tutti {

/// Which atoms of a region become one instruction with others, and how long its values live. Atoms are numbered by
/// their position in the node, values by their roots.
struct RegionUses {
  /// An atom of one to two operands, or a gate: a comparison with the limit that its only user selects.
  struct Link {
    std::size_t atom;  // of a gate: the selection
    std::size_t side;  // which operand is the result of the link before; of a first link: none
    std::optional<std::size_t> comparison = std::nullopt;  // of a gate
  };
  static constexpr std::size_t none = 2;
  std::map<std::size_t, std::vector<Link>> chains;  // by the last atom; a gate alone, or two links and more
  std::map<std::size_t, std::size_t> merged_into;   // every other atom of a chain -> its last
  std::map<int, std::size_t> last_use;              // of values made here: when the last instruction reads it
};

RegionUses uses_of(const Graph& graph, const Nodes& nodes, int node);

/// Where links find their operands: of the first of two operands both, of others one; of a gate the limit after what is
/// compared, which of others than a first link is the value before.
std::vector<const Address*> operands_of(const Graph& graph, const Node& node,
                                        const std::vector<RegionUses::Link>& chain);

/// The function of an atom that applies one to two operands, else null.
const BinaryFn* binary_fn(const Atom& atom);
const CompareDirection* comparison(const Atom& atom);

}  // namespace tutti
