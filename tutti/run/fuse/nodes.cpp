// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/fuse/nodes.hpp"

#include <algorithm>

namespace tutti {
namespace {

constexpr std::size_t most_atoms_in_region = 64;  // temporaries of a region stay in L1
constexpr std::int64_t longest_row_in_region =
    4096;  // elements; a longer row is folded by a region of its own

class Gatherer {
 public:
  Gatherer(const Graph& graph, Fusion fusion) : graph_(graph), fusion_(fusion) {}

  Nodes gather() && {
    nodes_.maker.assign(graph_.roots.size(), -1);
    for (int i = 0; i < static_cast<int>(graph_.atoms.size()); ++i) place(i);
    find_reads_and_writes();
    for (std::size_t n = 0; n < nodes_.list.size(); ++n) {
      Node& node = nodes_.list[n];
      if (node.kind == Node::Kind::region) {
        node.space = space_of(graph_, node, 0);
        node.mergeable = mergeable_axes(graph_, nodes_, static_cast<int>(n), node.outer());
      }
      if (node.kind == Node::Kind::copy) node.space = copy_space(node);
    }
    return std::move(nodes_);
  }

 private:
  const Atom& atom(int i) const { return graph_.atoms[static_cast<std::size_t>(i)]; }
  int maker(int root) const { return nodes_.maker[static_cast<std::size_t>(root)]; }

  void place(int i) {
    const Atom& a = atom(i);
    int joined = is_fusable(a) && fusion_ == Fusion::on ? region_for(a) : -1;
    if (joined < 0) {
      joined = static_cast<int>(nodes_.list.size());
      nodes_.list.push_back(new_node(a));
    }
    Node& node = nodes_.list[static_cast<std::size_t>(joined)];
    node.atoms.push_back(i);
    node.axes |= a.axes;
    if (const FoldWork* fold = fold_of_inner(a)) {
      node.inner |= fold->axes;
      ++node.folds;
    }
    if (auto* rows = std::get_if<RowsWork>(&a.work)) {
      node.kept = rows->kept;
      node.row_shape = graph_.roots[static_cast<std::size_t>(a.results[0])].type.shape();
    }
    for (int root : a.results) nodes_.maker[static_cast<std::size_t>(root)] = joined;
  }

  /// The fold over axes inside the region.
  static const FoldWork* fold_of_inner(const Atom& a) {
    return fold_of_terms(a) ? nullptr : std::get_if<FoldWork>(&a.work);
  }

  static bool is_fusable(const Atom& a) {
    return std::holds_alternative<PointwiseWork>(a.work) || std::holds_alternative<FoldWork>(a.work) ||
           std::holds_alternative<RowsWork>(a.work);
  }

  static Node new_node(const Atom& a) {
    Node node{};
    node.kind = is_fusable(a)                                 ? Node::Kind::region
                : std::holds_alternative<ColumnsWork>(a.work) ? Node::Kind::columns
                : std::holds_alternative<CopyWork>(a.work)    ? Node::Kind::copy
                : std::holds_alternative<SubWork>(a.work)     ? Node::Kind::control
                                                              : Node::Kind::units;
    node.shape = a.shape;
    return node;
  }

  int region_for(const Atom& a) const {
    int first = 0;
    for (const Address& operand : a.operands) first = std::max(first, maker(operand.root));
    int end = static_cast<int>(nodes_.list.size());
    if (std::holds_alternative<RowsWork>(a.work)) {
      for (int i = first; i < end; ++i)
        if (fits(a, i)) return i;
    } else {
      for (int i = end; i-- > first;)
        if (fits(a, i)) return i;
    }
    return -1;
  }

  bool fits(const Atom& a, int index) const {
    const Node& node = nodes_.list[static_cast<std::size_t>(index)];
    if (node.kind != Node::Kind::region || node.atoms.size() >= most_atoms_in_region) return false;
    const FoldWork* fold = fold_of_inner(a);
    AxisSet inner = node.inner | (fold ? fold->axes : 0);
    if (fold && node.folds > 0) return false;
    if ((a.axes | inner) != (node.axes | inner)) return false;
    if (const auto* rows = std::get_if<RowsWork>(&a.work)) {
      if (a.shape != node.shape || (node.kept && *node.kept != rows->kept)) return false;
      std::int64_t columns = 1;
      for (int i = rows->kept; i < a.shape.rank(); ++i) columns *= a.shape[i];
      if (columns > longest_row_in_region) return false;
      const Shape& result = graph_.roots[static_cast<std::size_t>(a.results[0])].type.shape();
      if (node.kept && result != node.row_shape) return false;
      if (is_like(result, node.shape)) return false;  // then nothing would tell the two apart
    } else if (a.shape != node.shape &&
               !(node.kept && is_like(a.shape, node.row_shape) && reads_from(a, index))) {
      return false;
    }
    return std::ranges::all_of(a.operands, [&](const Address& operand) {
      return maker(operand.root) != index || stays_in_place(a, operand, node, inner);
    });
  }

  /// The same but for dims of one element: with and without the dims that were reduced.
  static bool is_like(const Shape& a, const Shape& b) {
    auto longer_dims = [](const Shape& shape) {
      std::vector<std::int64_t> sizes(shape.begin(), shape.end());
      std::erase(sizes, 1);
      return sizes;
    };
    return longer_dims(a) == longer_dims(b);
  }

  bool reads_from(const Atom& a, int index) const {
    return std::ranges::any_of(a.operands,
                               [&](const Address& operand) { return maker(operand.root) == index; });
  }

  /// A value made in the region is read there element for element, or row by row.
  bool stays_in_place(const Atom& a, const Address& operand, const Node& node, AxisSet inner) const {
    Address own = natural_address(graph_, operand.root);
    if (operand.offset != 0) return false;
    for (std::size_t i = 0; i < own.axes.size(); ++i)
      if (has(a.axes | node.axes | inner, i) && operand.axes[i] != own.axes[i]) return false;
    const Shape& made = graph_.roots[static_cast<std::size_t>(operand.root)].type.shape();
    bool is_row_value = node.kept && is_like(made, node.row_shape);
    if (is_row_value && is_like(a.shape, made))
      return is_dense(operand, a.shape, element_bytes(graph_, operand));
    if (a.shape == made) {
      for (int i = 0; i < made.rank(); ++i)
        if (made[i] != 1 &&
            operand.dims[static_cast<std::size_t>(i)] != own.dims[static_cast<std::size_t>(i)])
          return false;
      return true;
    }
    if (!is_row_value || a.shape != node.shape) return false;
    // Over the kept dims it must be dense, over the others it repeats.
    std::int64_t stride = element_bytes(graph_, operand);
    for (int i = a.shape.rank(); i-- > 0;) {
      if (a.shape[i] == 1) continue;
      std::int64_t wanted = i >= *node.kept ? 0 : stride;
      if (operand.dims[static_cast<std::size_t>(i)] != wanted) return false;
      if (i < *node.kept) stride *= a.shape[i];
    }
    return true;
  }

  /// Several tiles if each shard of the result is one piece, copied from one other.
  Space copy_space(const Node& node) const {
    const auto& work = std::get<CopyWork>(atom(node.atoms[0]).work);
    auto units = static_cast<std::size_t>(positions(graph_.mesh, node.axes));
    auto has_one_source = [](const CopyWork::Job& job) { return job.from.size() == 1; };
    if (work.loops.empty() || work.jobs.size() != units || !std::ranges::all_of(work.jobs, has_one_source))
      return {};
    Space space{work.loops[0].size, 1, 1, 1};
    for (std::size_t i = 1; i < work.loops.size(); ++i) space.columns *= work.loops[i].size;
    space.tile_columns = space.columns;
    return space;
  }

  void find_reads_and_writes() {
    nodes_.in_memory.assign(graph_.roots.size(), false);
    auto in_memory = [&](int root) {
      return static_cast<std::vector<bool>::reference>(nodes_.in_memory[static_cast<std::size_t>(root)]);
    };
    for (int root : graph_.outputs) in_memory(root) = true;
    for (int root : graph_.replicas) in_memory(root) = true;
    for (std::size_t n = 0; n < nodes_.list.size(); ++n)
      for (int i : nodes_.list[n].atoms)
        for (const Address& operand : atom(i).operands)
          if (maker(operand.root) != static_cast<int>(n)) {
            in_memory(operand.root) = true;
            for (const Address& part : parts_read(atom(i), operand)) add_read(nodes_.list[n], part);
          }
    for (std::size_t n = 0; n < nodes_.list.size(); ++n)
      for (int i : nodes_.list[n].atoms)
        for (int root : atom(i).results)
          if (nodes_.in_memory[static_cast<std::size_t>(root)] || nodes_.list[n].kind != Node::Kind::region) {
            in_memory(root) = true;
            nodes_.list[n].writes.push_back(root);
          }
  }

  static std::vector<Address> parts_read(const Atom& a, const Address& operand) {
    const FoldWork* fold = fold_of_terms(a);
    if (!fold) return {operand};
    std::vector<Address> parts(fold->terms.size(), operand);
    for (std::size_t t = 0; t < parts.size(); ++t) parts[t].offset += fold->terms[t];
    return parts;
  }

  static void add_read(Node& node, const Address& operand) {
    for (const Address& known : node.reads)
      if (known == operand) return;
    node.reads.push_back(operand);
  }

  const Graph& graph_;
  Fusion fusion_;
  Nodes nodes_;
};

}  // namespace

Nodes make_nodes(const Graph& graph, Fusion fusion) { return Gatherer(graph, fusion).gather(); }

const SubWork* sub_work(const Graph& graph, const Node& node) {
  return std::get_if<SubWork>(&graph.atoms[static_cast<std::size_t>(node.atoms[0])].work);
}

}  // namespace tutti
