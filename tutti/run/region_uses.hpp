// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "tutti/run/nodes.hpp"

namespace tutti {

/// Which atoms of a region become one instruction with another, and how long its values live. Atoms are numbered by
/// their position in the node, values by their roots.
struct RegionUses {
  struct Pair {
    std::size_t first;   // is done together with its only user
    std::size_t side;    // which operand of the user it is
    bool gates = false;  // a comparison with the limit that its user selects: one gate_kernel
  };
  std::map<std::size_t, Pair> pairs;               // by the second atom
  std::map<std::size_t, std::size_t> merged_into;  // first atom of a pair -> second
  std::map<int, std::size_t> last_use;             // of values made here: when the last instruction reads it
};

RegionUses uses_of(const Graph& graph, const Nodes& nodes, int node);

/// The function of an atom that applies one to two operands, else null.
const BinaryFn* binary_fn(const Atom& atom);
const CompareDirection* comparison(const Atom& atom);

}  // namespace tutti
