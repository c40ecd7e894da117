// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/region_uses.hpp"

#include <algorithm>

namespace tutti {

const BinaryFn* binary_fn(const Atom& atom) {
  const auto* pointwise = std::get_if<PointwiseWork>(&atom.work);
  return pointwise ? std::get_if<BinaryFn>(&pointwise->fn.fn) : nullptr;
}

const CompareDirection* comparison(const Atom& atom) {
  const auto* pointwise = std::get_if<PointwiseWork>(&atom.work);
  return pointwise ? std::get_if<CompareDirection>(&pointwise->fn.fn) : nullptr;
}

namespace {

bool is_select(const Atom& atom) {
  const auto* pointwise = std::get_if<PointwiseWork>(&atom.work);
  return pointwise && std::holds_alternative<SelectFn>(pointwise->fn.fn);
}

bool is_one_element(const Address& address) {
  auto is_zero = [](std::int64_t stride) { return stride == 0; };
  return std::ranges::all_of(address.axes, is_zero) && std::ranges::all_of(address.dims, is_zero);
}

/// The comparison is with the element that is selected where it holds.
bool gates(const Graph& graph, const Atom& compare, const Atom& select) {
  const Address& limit = compare.operands[1];
  const Address& chosen = select.operands[1];
  DType dtype = graph.roots[static_cast<std::size_t>(limit.root)].type.dtype();
  return is_one_element(limit) && is_one_element(chosen) && limit.root == chosen.root &&
         limit.offset == chosen.offset && gate_kernel(*comparison(compare), dtype) != nullptr;
}

}  // namespace

RegionUses uses_of(const Graph& graph, const Nodes& nodes, int node) {
  const std::vector<int>& atoms = nodes.list[static_cast<std::size_t>(node)].atoms;
  auto atom = [&](std::size_t i) -> const Atom& { return graph.atoms[static_cast<std::size_t>(atoms[i])]; };
  auto is_made_here = [&](int root) { return nodes.maker[static_cast<std::size_t>(root)] == node; };
  RegionUses found;
  std::map<int, int> uses;
  std::map<int, std::size_t> made_at;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (const Address& operand : atom(i).operands) {
      if (!is_made_here(operand.root)) continue;
      ++uses[operand.root];
      found.last_use[operand.root] = i;
    }
    made_at[atom(i).results[0]] = i;
  }
  auto fits = [&](std::size_t i, std::size_t side) {
    int value = atom(i).operands[side].root;
    if (!is_made_here(value) || nodes.in_memory[static_cast<std::size_t>(value)] || uses[value] != 1)
      return false;
    std::size_t made = made_at[value];
    if (found.merged_into.contains(made) || found.pairs.contains(made)) return false;
    const Root& root = graph.roots[static_cast<std::size_t>(value)];
    if (atom(made).shape != atom(i).shape ||
        root.stored != graph.roots[static_cast<std::size_t>(atom(i).results[0])].stored)
      return false;
    if (is_select(atom(i))) return comparison(atom(made)) && gates(graph, atom(made), atom(i));
    const BinaryFn* first = binary_fn(atom(made));
    return first && pair_kernel(*first, *binary_fn(atom(i)), side == 1, root.type.dtype(), Step::dense,
                                Step::dense, Step::dense) != nullptr;
  };
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    bool selects = is_select(atom(i));
    if (!binary_fn(atom(i)) && !selects) continue;
    std::size_t side = fits(i, 0) ? 0 : !selects && fits(i, 1) ? 1 : 2;
    if (side == 2) continue;
    std::size_t first = made_at[atom(i).operands[side].root];
    found.merged_into[first] = i;
    found.pairs[i] = {first, side, selects};
    for (const Address& operand : atom(first).operands)
      if (is_made_here(operand.root))
        found.last_use[operand.root] = std::max(found.last_use[operand.root], i);
  }
  return found;
}

}  // namespace tutti
