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

constexpr std::size_t most_links = 7;  // an instruction has room for their operands

class UsesFinder {
 public:
  UsesFinder(const Graph& graph, const Nodes& nodes, int node)
      : graph_(graph), nodes_(nodes), node_(node), atoms_(nodes.list[static_cast<std::size_t>(node)].atoms) {}

  RegionUses find() && {
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      for (const Address& operand : atom(i).operands) {
        if (!is_made_here(operand.root)) continue;
        ++uses_[operand.root];
        found_.last_use[operand.root] = i;
      }
      made_at_[atom(i).results[0]] = i;
    }
    for (std::size_t i = 0; i < atoms_.size(); ++i)
      if (is_select(atom(i))) find_gate(i);
      else if (binary_fn(atom(i))) find_pair(i);
    return std::move(found_);
  }

 private:
  using Link = RegionUses::Link;

  const Atom& atom(std::size_t i) const { return graph_.atoms[static_cast<std::size_t>(atoms_[i])]; }
  bool is_made_here(int root) const { return nodes_.maker[static_cast<std::size_t>(root)] == node_; }
  const Root& result(std::size_t i) const {
    return graph_.roots[static_cast<std::size_t>(atom(i).results[0])];
  }
  DType dtype(std::size_t i) const { return result(i).type.dtype(); }

  /// The value is made here for atom i alone, which reads it that often.
  bool is_only_for(std::size_t i, int value, int uses) {
    if (!is_made_here(value) || nodes_.in_memory[static_cast<std::size_t>(value)] || uses_[value] != uses)
      return false;
    std::size_t made = made_at_[value];
    return !found_.merged_into.contains(made) && atom(made).shape == atom(i).shape &&
           result(made).stored == result(i).stored;
  }

  void find_gate(std::size_t i) {
    const Atom& select = atom(i);
    if (!is_only_for(i, select.operands[0].root, 1)) return;
    std::size_t compare = made_at_[select.operands[0].root];
    if (!comparison(atom(compare)) || !gates(graph_, atom(compare), select)) return;
    Link link{i, RegionUses::none, compare};
    int value = select.operands[2].root;
    if (!gates_its_own(link) || !is_only_for(i, value, 2) || !extend(made_at_[value], link))
      set_chain({link});
  }

  /// What it compares is what it selects otherwise.
  bool gates_its_own(const Link& gate) const {
    return atom(*gate.comparison).operands[0] == atom(gate.atom).operands[2];
  }

  void find_pair(std::size_t i) {
    for (std::size_t side = 0; side < 2; ++side)
      if (int value = atom(i).operands[side].root;
          is_only_for(i, value, 1) && extend(made_at_[value], {i, side}))
        return;
  }

  bool is_in_chains(const Link& link) const {
    if (link.comparison) return gates_its_own(link);
    const BinaryFn* fn = binary_fn(atom(link.atom));
    return fn && chain_fn(*fn, link.side == 1);
  }

  /// The chain that ends with atom `last`, or that alone, goes on with `link`, if it can.
  bool extend(std::size_t last, const Link& link) {
    auto before = found_.chains.find(last);
    std::vector<Link> chain{{last, RegionUses::none}};
    if (before != found_.chains.end()) chain = before->second;
    chain.push_back(link);
    bool is_pair = chain.size() == 2 && !chain[0].comparison && !link.comparison && binary_fn(atom(last)) &&
                   pair_kernel(*binary_fn(atom(last)), *binary_fn(atom(link.atom)), link.side == 1,
                               dtype(last), Step::dense, Step::dense, Step::dense) != nullptr;
    bool is_chain = chain_kernel(dtype(link.atom)) != nullptr && chain.size() <= most_links &&
                    std::ranges::all_of(chain, [this](const Link& l) { return is_in_chains(l); });
    if (!is_pair && !is_chain) return false;
    if (before != found_.chains.end()) found_.chains.erase(before);
    set_chain(std::move(chain));
    return true;
  }

  /// All its atoms are done when the last is.
  void set_chain(std::vector<Link> chain) {
    std::size_t last = chain.back().atom;
    auto merge = [&](std::size_t i) {
      if (i != last) found_.merged_into[i] = last;
      for (const Address& operand : atom(i).operands)
        if (is_made_here(operand.root))
          found_.last_use[operand.root] = std::max(found_.last_use[operand.root], last);
    };
    for (const Link& link : chain) {
      merge(link.atom);
      if (link.comparison) merge(*link.comparison);
    }
    found_.chains[last] = std::move(chain);
  }

  const Graph& graph_;
  const Nodes& nodes_;
  int node_;
  const std::vector<int>& atoms_;
  std::map<int, int> uses_;             // per value
  std::map<int, std::size_t> made_at_;  // per value
  RegionUses found_;
};

}  // namespace

RegionUses uses_of(const Graph& graph, const Nodes& nodes, int node) {
  return UsesFinder(graph, nodes, node).find();
}

std::vector<const Address*> operands_of(const Graph& graph, const Node& node,
                                        const std::vector<RegionUses::Link>& chain) {
  auto atom = [&](std::size_t i) -> const Atom& {
    return graph.atoms[static_cast<std::size_t>(node.atoms[i])];
  };
  std::vector<const Address*> operands;
  for (const RegionUses::Link& link : chain) {
    const std::vector<Address>& own = atom(link.comparison.value_or(link.atom)).operands;
    if (operands.empty()) operands = {&own[0], &own[1]};
    else operands.push_back(link.comparison ? &own[1] : &own[1 - link.side]);
  }
  return operands;
}

}  // namespace tutti
