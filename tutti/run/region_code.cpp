// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/region_code.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tutti/base/require.hpp"
#include "tutti/run/region_uses.hpp"

namespace tutti {
namespace {

using Kind = RegionInstruction::Kind;
constexpr std::int64_t shortest_row_call = 32;  // elements; shorter rows are written out to a tile instead

/// An operand as an instruction reads it.
struct Read {
  int ref;
  Step step = Step::dense;
};

class Coder {
 public:
  Coder(const Graph& graph, const Nodes& nodes, int node, const std::vector<std::size_t>& unit_axes)
      : graph_(graph),
        nodes_(nodes),
        index_(node),
        node_(nodes.list[static_cast<std::size_t>(node)]),
        unit_axes_(unit_axes),
        uses_(uses_of(graph, nodes, node)) {
    AxisSet merged = node_.outer();
    for (std::size_t axis : unit_axes) {
      merged &= ~(AxisSet{1} << axis);
      code_.unit_sizes.push_back(graph.mesh.axes()[axis].size);
    }
    merged_ = merged;
    code_.space = space_of(graph, node_, merged);
    code_.streams = node_.streams;
    code_.bases = {nullptr};
    code_.base_roots = {-1};
  }

  RegionCode code() && {
    for (std::size_t i = 0; i < node_.atoms.size(); ++i) {
      const Atom& a = atom(i);
      if (uses_.merged_into.contains(i)) continue;
      std::visit([&](const auto& work) { emit(i, a, work); }, a.work);
      release(i);
    }
    code_.scratch_bytes = static_cast<std::size_t>(top_);
    return std::move(code_);
  }

 private:
  using Chain = RegionUses::Chain;
  struct Temporary {
    std::int64_t offset, bytes;
  };
  enum class When { every_tile, once_per_unit };

  const Atom& atom(std::size_t i) const { return graph_.atoms[static_cast<std::size_t>(node_.atoms[i])]; }
  const Root& root(int r) const { return graph_.roots[static_cast<std::size_t>(r)]; }
  bool is_made_here(int r) const { return nodes_.maker[static_cast<std::size_t>(r)] == index_; }
  bool is_in_memory(int r) const { return nodes_.in_memory[static_cast<std::size_t>(r)]; }
  RegionRef& ref(int r) { return code_.refs[static_cast<std::size_t>(r)]; }
  std::int64_t bytes_of(int r) const {
    return static_cast<std::int64_t>(bytes_per_element(root(r).type.dtype()));
  }

  // ---- refs

  // By value: both may be elements of the lists that grow here.
  int add_ref(RegionRef made, std::vector<std::int64_t> axis_strides) {
    code_.refs.push_back(made);
    for (std::size_t axis : unit_axes_) code_.unit_strides.push_back(made.base == 0 ? 0 : axis_strides[axis]);
    axis_strides_.push_back(std::move(axis_strides));
    return static_cast<int>(code_.refs.size()) - 1;
  }

  int base_of(int r) {
    auto it = std::ranges::find(code_.base_roots, r);
    if (it != code_.base_roots.end()) return static_cast<int>(it - code_.base_roots.begin());
    code_.base_roots.push_back(r);
    code_.bases.push_back(nullptr);
    return static_cast<int>(code_.bases.size()) - 1;
  }

  Pattern pattern(const Address& address, const Shape& shape) const {
    RegionOperand over = over_region(graph_, address, shape, merged_);
    std::int64_t columns = is_row_value(node_, shape) ? 1 : code_.space.columns;
    return pattern_of(collapsed(over.sizes, over.strides), code_.space.rows, columns,
                      element_bytes(graph_, address));
  }

  int memory_ref(const Address& address, const Pattern& p, bool row_value) {
    std::int64_t bytes = element_bytes(graph_, address), row = p.row_stride, column = p.column_stride;
    if (p.kind == Pattern::Kind::dense) {
      row = row_value ? bytes : code_.space.columns * bytes;
      column = row_value ? 0 : bytes;
    }
    return add_ref({base_of(address.root), address.offset, row, column, row, column, bytes, row_value},
                   address.axes);
  }

  /// A tile of scratch with a place for every position along `inner` axes.
  int temporary(std::int64_t bytes, AxisSet inner, bool row_value, When when = When::every_tile) {
    std::int64_t elements =
        row_value ? code_.space.tile_rows : code_.space.tile_rows * code_.space.tile_columns;
    std::int64_t each = (elements * bytes + 63) / 64 * 64, all = each * positions(graph_.mesh, inner);
    // What is written once per unit must not lie where another value was in the tile before.
    auto it = when == When::every_tile ? std::ranges::find(free_, all, &Temporary::bytes) : free_.end();
    std::int64_t offset = top_;
    if (it != free_.end()) {
      offset = it->offset;
      free_.erase(it);
    } else {
      top_ += all;
    }
    std::vector<std::int64_t> strides(graph_.mesh.axes().size(), 0);
    std::int64_t stride = each;
    for (std::size_t i = strides.size(); i-- > 0;) {
      if (!has(inner, i)) continue;
      strides[i] = stride;
      stride *= graph_.mesh.axes()[i].size;
    }
    std::int64_t row = row_value ? bytes : code_.space.tile_columns * bytes;
    int made = add_ref({0, offset, 0, 0, row, row_value ? 0 : bytes, bytes, row_value}, strides);
    temporaries_[made] = {offset, all};
    return made;
  }

  void free(int ref_index) {
    auto it = temporaries_.find(ref_index);
    if (it == temporaries_.end()) return;
    free_.push_back(it->second);
    temporaries_.erase(it);
  }

  void release(std::size_t i) {
    for (int loaded : loaded_) free(loaded);
    loaded_.clear();
    for (const auto& [value, last] : uses_.last_use)
      if (last == i && value_ref_.contains(value)) free(value_ref_[value]);
    int result = atom(i).results[0];
    if (!uses_.last_use.contains(result)) free(value_ref_[result]);
  }

  bool is_streamed(int r, bool row_value) const { return code_.streams && is_in_memory(r) && !row_value; }

  /// An instruction that can may write it past the caches: nobody here reads it again, and its tiles and their rows begin
  /// on lines.
  bool may_stream_itself(int r) const {
    constexpr std::int64_t line = 64;
    auto is_on_line = [](std::int64_t bytes) { return bytes % line == 0; };
    bool row_value = is_row_value(node_, root(r).type.shape());
    return is_streamed(r, row_value) && !uses_.last_use.contains(r) &&
           std::ranges::all_of(root(r).axes, is_on_line) &&
           (code_.space.rows == 1 || is_on_line(code_.space.columns * bytes_of(r)));
  }

  int result_ref(int r, bool row_value) {
    bool in_scratch = !is_in_memory(r) || is_streamed(r, row_value);
    return value_ref_[r] = in_scratch ? temporary(bytes_of(r), root(r).stored & node_.inner, row_value)
                                      : result_in_memory(r, row_value);
  }

  int result_in_memory(int r, bool row_value) {
    Address own = natural_address(graph_, r);
    Pattern p = pattern(own, root(r).type.shape());
    ensure(p.kind == Pattern::Kind::dense || root(r).type.elements() == 0,
           "a result of a region is not dense");
    return memory_ref(own, {}, row_value);
  }

  // ---- operands

  enum class Reads { dense_only, dense_or_scalar };

  /// Rows of tiles one by one, so that operands that repeat along or across rows need not be written out.
  bool goes_by_row(const std::vector<const Address*>& operands, const Shape& shape, Reads reads) {
    if (is_row_value(node_, shape) || code_.space.tile_rows == 1 || code_.space.columns < shortest_row_call)
      return false;
    return std::ranges::any_of(operands, [&](const Address* operand) {
      if (!operand) return false;
      if (is_made_here(operand->root))
        return reads == Reads::dense_or_scalar && ref(value_ref_[operand->root]).row_value;
      Pattern p = pattern(*operand, shape);
      bool in_steps = p.kind == Pattern::Kind::row || (p.kind == Pattern::Kind::strided &&
                                                       p.column_stride == element_bytes(graph_, *operand));
      return in_steps || (p.kind == Pattern::Kind::column && reads == Reads::dense_or_scalar);
    });
  }

  Read read(const Address& operand, const Shape& shape, Reads reads, bool by_row) {
    bool row_value = is_row_value(node_, shape), one_row = by_row || code_.space.tile_rows == 1;
    if (is_made_here(operand.root)) {
      int made = value_ref_[operand.root];
      if (!ref(made).row_value || row_value) return {made};
      if (one_row && reads == Reads::dense_or_scalar) return {made, Step::scalar};
      int column =
          add_ref(ref(made), axis_strides_[static_cast<std::size_t>(made)]);  // the same, seen across columns
      ref(column).row_value = false;
      return {load(column, false, When::every_tile)};
    }
    Pattern p = pattern(operand, shape);
    int from = memory_ref(operand, p, row_value);
    switch (p.kind) {
      case Pattern::Kind::dense: return {from};
      case Pattern::Kind::scalar:
        if (reads == Reads::dense_or_scalar) return {from, Step::scalar};
        return {load_once(operand, from, row_value)};
      case Pattern::Kind::row: return {one_row ? from : load_once(operand, from, row_value)};
      case Pattern::Kind::column:
        if (one_row && reads == Reads::dense_or_scalar) return {from, Step::scalar};
        return {load(from, row_value, When::every_tile)};
      case Pattern::Kind::strided:
        if (one_row && !row_value && p.column_stride == element_bytes(graph_, operand)) return {from};
        return {load(from, row_value, When::every_tile)};
      case Pattern::Kind::irregular:
        code_.loops.push_back(p.loops);
        return {load(from, row_value, When::every_tile, static_cast<int>(code_.loops.size()) - 1)};
    }
    return {from};
  }

  int load(int from, bool row_value, When when, int loops = -1) {
    AxisSet inner = 0;
    for (std::size_t i = 0; i < graph_.mesh.axes().size(); ++i)
      if (has(node_.inner, i) && axis_strides_[static_cast<std::size_t>(from)][i] != 0)
        inner |= AxisSet{1} << i;
    int to = temporary(ref(from).element_bytes, inner, row_value, when);
    RegionInstruction i{};
    i.kind = loops < 0 ? Kind::load : Kind::load_irregular;
    i.row_value = row_value;
    i.operands = 1;
    i.out = to;
    i.in[0] = from;
    i.loops = loops;
    if (loops >= 0) ref(from).row_advance = ref(from).column_advance = 0;
    add_offsets(i, inner);
    (when == When::every_tile ? code_.code : code_.once).push_back(i);
    if (when == When::every_tile) loaded_.push_back(to);
    else temporaries_.erase(to);  // its tile is never given to another value
    return to;
  }

  int load_once(const Address& operand, int from, bool row_value) {
    for (const auto& [address, was_row_value, to] : loaded_once_)
      if (address == operand && was_row_value == row_value) return to;
    int to = load(from, row_value, When::once_per_unit);
    loaded_once_.push_back({operand, row_value, to});
    return to;
  }

  // ---- instructions

  /// Positions along `inner`; a fold reads its terms at each of them.
  void add_offsets(RegionInstruction& i, AxisSet inner, const FoldWork& fold = {}) {
    i.positions = static_cast<int>(positions(graph_.mesh, inner));
    i.offsets = static_cast<int>(code_.offsets.size());
    auto offset = [&](int r, const std::vector<std::int64_t>& at, AxisSet axes) {
      std::int64_t sum = 0;
      for (std::size_t a = 0; a < at.size(); ++a)
        if (has(axes, a)) sum += at[a] * axis_strides_[static_cast<std::size_t>(r)][a];
      return sum;
    };
    for (int p = 0; p < i.positions; ++p) {
      std::vector<std::int64_t> at = coordinates(graph_.mesh, inner, p);
      code_.offsets.push_back(offset(i.out, at, inner));
      if (i.kind != Kind::fold)
        for (int j = 0; j < i.operands; ++j) code_.offsets.push_back(offset(i.in[j], at, inner));
      else
        for (int t = 0; t < i.terms; ++t)
          code_.offsets.push_back(offset(i.in[0], at, inner & ~fold.axes) +
                                  (fold.terms.empty()
                                       ? offset(i.in[0], coordinates(graph_.mesh, fold.axes, t), fold.axes)
                                       : fold.terms[static_cast<std::size_t>(t)]));
    }
  }

  void emit_gate(const Atom& compare, const Atom& select) {
    RegionInstruction made{};
    made.row_value = is_row_value(node_, select.shape);
    const Address &x = compare.operands[0], &limit = compare.operands[1], &otherwise = select.operands[2];
    made.by_row = goes_by_row({&x, &otherwise}, select.shape, Reads::dense_only);
    made.operands = 3;
    made.in[0] = read(x, select.shape, Reads::dense_only, made.by_row).ref;
    made.in[1] = read(limit, select.shape, Reads::dense_or_scalar, made.by_row).ref;
    made.in[2] = read(otherwise, select.shape, Reads::dense_only, made.by_row).ref;
    made.steps[1].repeats = true;
    set_elementwise(made, gate_kernel(*comparison(compare), root(select.results[0]).type.dtype()));
    finish(made, select.results[0], made.row_value);
  }

  void emit(std::size_t i, const Atom& a, const PointwiseWork& work) {
    auto found = uses_.chains.find(i);
    const Chain* chain = found == uses_.chains.end() ? nullptr : &found->second;
    DType dtype = root(a.results[0]).type.dtype();
    const Chain alone{{i, RegionUses::Link::Before::none}};  // can stream, where an elementwise kernel cannot
    if (!chain && may_stream_itself(a.results[0]) && chain_kernel(dtype) &&
        step_of(graph_, node_, alone.front()))
      chain = &alone;
    if (chain && chain->size() == 1 && chain->front().comparison)
      return emit_gate(atom(*chain->front().comparison), a);
    RegionInstruction made{};
    made.row_value = is_row_value(node_, a.shape);
    std::vector<const Address*> operands;
    if (chain) operands = operands_of(graph_, node_, *chain);
    else
      for (const Address& operand : a.operands) operands.push_back(&operand);
    Reads reads = std::holds_alternative<UnaryFn>(work.fn.fn) || std::holds_alternative<ConvertFn>(work.fn.fn)
                      ? Reads::dense_only
                      : Reads::dense_or_scalar;
    made.by_row = goes_by_row(operands, a.shape, reads);
    std::vector<Step> steps = read_all(made, operands, a.shape, reads);
    if (chain) {
      made.kind = Kind::chain;
      made.chain = chain_kernel(dtype);
      set_steps(made, *chain);
    } else {
      set_elementwise(made, kernel_of(work.fn, a, steps));
    }
    finish(made, a.results[0], made.row_value);
  }

  /// A null operand, of a square, is there in name only.
  std::vector<Step> read_all(RegionInstruction& made, const std::vector<const Address*>& operands,
                             const Shape& shape, Reads reads) {
    made.operands = static_cast<int>(operands.size());
    std::vector<Step> steps;
    for (std::size_t j = 0; j < operands.size(); ++j) {
      Read operand =
          operands[j] ? read(*operands[j], shape, reads, made.by_row) : Read{made.in[0], Step::scalar};
      made.in[j] = operand.ref;
      made.steps[j].repeats = operand.step == Step::scalar;
      steps.push_back(operand.step);
    }
    return steps;
  }

  static void set_elementwise(RegionInstruction& made, ElementwiseKernel kernel) {
    made.kind = Kind::elementwise;
    made.elementwise = kernel;
  }

  void set_steps(RegionInstruction& made, const Chain& chain) const {
    for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(made.operands); ++k)
      made.steps[k + 1].fn = *step_of(graph_, node_, chain[k]);
  }

  ElementwiseKernel kernel_of(const Pointwise& fn, const Atom& a, const std::vector<Step>& steps) const {
    DType from = root(a.operands[0].root).type.dtype(), to = root(a.results[0]).type.dtype();
    if (auto* unary = std::get_if<UnaryFn>(&fn.fn)) return unary_kernel(*unary, from);
    if (auto* both = std::get_if<BinaryFn>(&fn.fn)) return binary_kernel(*both, from, steps[0], steps[1]);
    if (auto* compare = std::get_if<CompareDirection>(&fn.fn))
      return compare_kernel(*compare, from, steps[0], steps[1]);
    if (std::holds_alternative<ClampFn>(fn.fn)) return clamp_kernel(to, steps[0], steps[1], steps[2]);
    if (std::holds_alternative<SelectFn>(fn.fn)) return select_kernel(to, steps[0], steps[1], steps[2]);
    return convert_kernel(from, to);
  }

  void emit(std::size_t, const Atom& a, const FoldWork& work) {
    RegionInstruction made{};
    made.kind = Kind::fold;
    made.row_value = is_row_value(node_, a.shape);
    if (work.terms.empty()) {
      made.in[0] = read(a.operands[0], a.shape, Reads::dense_only, false).ref;
    } else {
      Pattern p = pattern(a.operands[0], a.shape);
      ensure(p.kind == Pattern::Kind::dense, "terms of a fold are not dense");
      made.in[0] = memory_ref(a.operands[0], p, made.row_value);
    }
    made.terms =
        static_cast<int>(work.terms.empty() ? positions(graph_.mesh, work.axes) : std::ssize(work.terms));
    made.fold = fold_kernel(work.kind, root(a.results[0]).type.dtype());
    finish(made, a.results[0], made.row_value, work);
  }

  void emit(std::size_t i, const Atom& a, const RowsWork& work) {
    if (auto chain = uses_.chains.find(i); chain != uses_.chains.end())
      return emit_rows(chain->second, a, work);
    RegionInstruction made{};
    made.kind = Kind::rows;
    Pattern p = is_made_here(a.operands[0].root) ? Pattern{} : pattern(a.operands[0], a.shape);
    bool by_row =
        p.kind == Pattern::Kind::row || p.kind == Pattern::Kind::strided;  // rows may lie at any distance
    made.in[0] = read(a.operands[0], a.shape, Reads::dense_only, by_row).ref;
    made.rows = reduce_rows_kernel(work.kind, root(a.results[0]).type.dtype());
    finish(made, a.results[0], true);
  }

  void emit_rows(const Chain& chain, const Atom& a, const RowsWork& work) {
    RegionInstruction made{};
    made.kind = Kind::chain_rows;
    made.by_row = true;  // operands that are the same for a row, or in each
    read_all(made, operands_of(graph_, node_, chain), a.shape, Reads::dense_or_scalar);
    made.by_row = false;  // one call for all rows
    set_steps(made, chain);
    made.chain_rows = reduce_chain_rows_kernel(work.kind, root(a.results[0]).type.dtype());
    finish(made, a.results[0], true);
  }

  template <class W>
  void emit(std::size_t, const Atom&, const W&) {
    ensure(false, "work that does not belong in a region");
  }

  void finish(RegionInstruction& made, int result, bool row_value, const FoldWork& fold = {}) {
    bool streams = is_streamed(result, row_value);
    if (may_stream_itself(result) && (made.kind == Kind::fold || made.kind == Kind::chain)) {
      made.store = Store::streaming;
      made.out = value_ref_[result] = result_in_memory(result, row_value);
      streams = false;
    } else {
      made.out = result_ref(result, row_value);
    }
    AxisSet inner = root(result).stored & node_.inner;
    add_offsets(made, inner, fold);
    code_.code.push_back(made);
    if (!streams) return;
    RegionInstruction streamed{};
    streamed.kind = Kind::stream;
    streamed.in[0] = made.out;
    streamed.out = result_in_memory(result, row_value);
    add_offsets(streamed, inner);
    code_.code.push_back(streamed);
  }

  struct LoadedOnce {
    Address address;
    bool row_value;
    int to;
  };

  const Graph& graph_;
  const Nodes& nodes_;
  int index_;
  const Node& node_;
  const std::vector<std::size_t>& unit_axes_;
  AxisSet merged_ = 0;
  RegionCode code_;
  const RegionUses uses_;
  std::map<int, int> value_ref_;                         // per root made here
  std::vector<std::vector<std::int64_t>> axis_strides_;  // per ref
  std::map<int, Temporary> temporaries_;                 // in use, per ref
  std::vector<Temporary> free_;
  std::vector<int> loaded_;  // for the present instruction only
  std::vector<LoadedOnce> loaded_once_;
  std::int64_t top_ = 0;
};

}  // namespace

RegionCode make_region_code(const Graph& graph, const Nodes& nodes, int node,
                            const std::vector<std::size_t>& unit_axes) {
  return Coder(graph, nodes, node, unit_axes).code();
}

}  // namespace tutti
