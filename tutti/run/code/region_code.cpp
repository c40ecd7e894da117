// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/region_code.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/run/code/fold_chains.hpp"
#include "tutti/run/code/next_tiles.hpp"
#include "tutti/run/code/region_operands.hpp"
#include "tutti/run/fuse/region_uses.hpp"

namespace tutti {
namespace {

using I = RegionInstruction;
using Read = OperandRefs::Read;
using Reads = OperandRefs::Reads;

class Coder {
 public:
  Coder(const Graph& graph, const Steps& steps, StepId step, const std::vector<std::size_t>& unit_axes,
        const RegionMemory& memory)
      : graph_(graph),
        steps_(steps),
        step_(steps.list[step]),
        uses_(step_.uses),
        refs_(graph, steps, step, unit_axes, code_),
        is_large_(memory.is_large) {
    code_.streams = is_large_ && !memory.is_over_operands;
  }

  RegionCode code() && {
    for (std::size_t i = 0; i < step_.tasks.size(); ++i) {
      const Task& a = task(i);
      if (uses_.merged_into.contains(i)) continue;
      std::visit([&](const auto& work) { emit(i, a, work); }, a.work);
      release(i);
    }
    add_rims();
    if (is_large_) {
      join_folds(code_);
      fetch_next_tiles(code_);
    } else {
      code_.whole = code_.code;
    }
    return std::move(code_);
  }

 private:
  using Chain = RegionUses::Chain;
  using Link = RegionUses::Link;

  const Task& task(std::size_t i) const { return graph_.tasks[step_.tasks[i]]; }
  const Buffer& buffer(BufferId b) const { return graph_.buffers[b]; }
  DType dtype(const Task& a) const { return buffer(a.results[0]).type.dtype(); }
  bool is_in_memory(BufferId b) const { return steps_.in_memory[b]; }

  void release(std::size_t i) {
    refs_.release_loaded();
    for (const auto& [value, last] : uses_.last_use)
      if (last == i) refs_.release(value);
    BufferId result = task(i).results[0];
    if (!uses_.last_use.contains(result)) refs_.release(result);
  }

  bool is_streamed(BufferId b, bool row_value) const {
    return code_.streams && is_in_memory(b) && !row_value;
  }

  /// True if a fold or chain may write the value with non-temporal stores: the region does not read the
  /// value, and its tiles and their rows begin on cache lines.
  bool may_stream_itself(BufferId b) const {
    constexpr std::int64_t line = 64;
    auto is_on_line = [](std::int64_t bytes) { return bytes % line == 0; };
    const Type& type = buffer(b).type;
    auto element = static_cast<std::int64_t>(bytes_per_element(type.dtype()));
    return is_streamed(b, is_row_value(step_, type.shape())) && !uses_.last_use.contains(b) &&
           std::ranges::all_of(buffer(b).axes, is_on_line) &&
           (code_.space.rows == 1 || is_on_line(code_.space.columns * element));
  }

  RefId result_ref(BufferId b, bool row_value) {
    bool in_scratch = !is_in_memory(b) || is_streamed(b, row_value);
    return refs_.place(b, in_scratch ? refs_.result_in_scratch(b, row_value)
                                     : refs_.result_in_memory(b, row_value));
  }

  void emit_gate(const Task& compare, const Task& select) {
    RegionInstruction made{};
    made.row_value = is_row_value(step_, select.shape);
    const Address &x = compare.operands[0], &limit = compare.operands[1], &otherwise = select.operands[2];
    made.by_row = refs_.goes_by_row({&x, &otherwise}, select.shape, Reads::dense_only);
    made.operands = 3;
    made.in[0] = refs_.read(x, select.shape, Reads::dense_only, made.by_row).ref;
    made.in[1] = refs_.read(limit, select.shape, Reads::dense_or_scalar, made.by_row).ref;
    made.in[2] = refs_.read(otherwise, select.shape, Reads::dense_only, made.by_row).ref;
    made.steps[1].repeats = true;
    made.what = I::Elementwise{gate_kernel(*comparison(compare), dtype(select))};
    finish(made, select.results[0], made.row_value);
  }

  void emit(std::size_t i, const Task& a, const PointwiseWork& work) {
    if (auto found = uses_.chains.find(i); found != uses_.chains.end()) {
      const Link& first = found->second.front();
      return found->second.size() == 1 ? emit_gate(task(*first.comparison), a) : emit_chain(found->second, a);
    }
    // Unlike an elementwise kernel, a chain of one task can store non-temporally, keeps f16 and bf16 in
    // registers, and reads rims.
    const Link alone{i, Link::Before::nothing};
    const bool reads_rim = std::ranges::any_of(a.operands, [&](const Address& operand) {
      return rim_candidates_.contains(operand.buffer);
    });
    bool is_faster = may_stream_itself(a.results[0]) || is_half(dtype(a)) || reads_rim;
    const bool has_step = chain_kernel(dtype(a)) && step_of(graph_, step_, alone);
    if (is_faster && has_step) return emit_chain({alone}, a);
    RegionInstruction made{};
    made.row_value = is_row_value(step_, a.shape);
    std::vector<const Address*> operands;
    for (const Address& operand : a.operands) operands.push_back(&operand);
    Reads reads =
        std::holds_alternative<UnaryFn>(work.fn.fn) || std::holds_alternative<kernel::ConvertFn>(work.fn.fn)
            ? Reads::dense_only
            : Reads::dense_or_scalar;
    made.by_row = refs_.goes_by_row(operands, a.shape, reads);
    if (has_step) set_steps(made, steps_of(graph_, step_, {alone}));
    made.what = I::Elementwise{kernel_of(work.fn, a, read_all(made, operands, a.shape, reads))};
    finish(made, a.results[0], made.row_value);
  }

  void emit_chain(const Chain& chain, const Task& a) {
    RegionInstruction made{};
    made.row_value = is_row_value(step_, a.shape);
    const std::vector<StepOfChain> steps = steps_of(graph_, step_, chain);
    const std::vector<const Address*> operands = operands_of(steps);
    made.by_row = refs_.goes_by_row(operands, a.shape, Reads::dense_or_scalar);
    set_steps(made, steps);
    read_all(made, operands, a.shape, Reads::dense_or_scalar);
    made.what = I::Chain{chain_kernel(dtype(a), made.chain_steps())};
    // Chains of two functions have kernels of their own, which are as fast row by row.
    if (made.by_row && chain.size() > 2 && !put_aside(made.chain_steps()))
      std::get<I::Chain>(made.what).by_rows = chain_by_rows_kernel(dtype(a));
    if (std::vector<RimmedOperand> rims = rims_of(operands); !rims.empty()) {
      std::get<I::Chain>(made.what).rims = code_.rims.size();
      code_.rims.push_back(std::move(rims));
    }
    finish(made, a.results[0], made.row_value);
  }

  /// Adds the operands of an instruction. A null operand belongs to a step that reads nothing.
  std::vector<Stride> read_all(RegionInstruction& made, const std::vector<const Address*>& operands,
                               const Shape& shape, Reads reads) {
    made.operands = static_cast<int>(operands.size());
    std::vector<Stride> steps;
    for (std::size_t j = 0; j < operands.size(); ++j) {
      Read operand = operands[j] ? refs_.read(*operands[j], shape, reads, made.by_row)
                                 : Read{made.in[0], Stride::scalar};
      made.in[j] = operand.ref;
      made.steps[j].repeats = operand.step == Stride::scalar;
      steps.push_back(operand.step);
    }
    return steps;
  }

  static std::vector<const Address*> operands_of(const std::vector<StepOfChain>& steps) {
    std::vector<const Address*> operands;
    for (const StepOfChain& each : steps) operands.push_back(each.operand);
    return operands;
  }
  /// The functions alone; read_all() finds which operands repeat.
  static void set_steps(RegionInstruction& made, const std::vector<StepOfChain>& steps) {
    for (std::size_t k = 0; k < steps.size(); ++k) made.steps[k] = steps[k].step;
  }

  ElementwiseKernel kernel_of(const kernel::Pointwise& fn, const Task& a,
                              const std::vector<Stride>& steps) const {
    DType from = buffer(a.operands[0].buffer).type.dtype(), to = dtype(a);
    if (auto* unary = std::get_if<UnaryFn>(&fn.fn)) return unary_kernel(*unary, from);
    if (auto* both = std::get_if<BinaryFn>(&fn.fn)) return binary_kernel(*both, from, steps[0], steps[1]);
    if (auto* compare = std::get_if<CompareDirection>(&fn.fn))
      return compare_kernel(*compare, from, steps[0], steps[1]);
    if (std::holds_alternative<kernel::ClampFn>(fn.fn)) return clamp_kernel(to, steps[0], steps[1], steps[2]);
    if (std::holds_alternative<kernel::SelectFn>(fn.fn))
      return select_kernel(to, steps[0], steps[1], steps[2]);
    return convert_kernel(from, to);
  }

  void emit(std::size_t, const Task& a, const FoldWork& work) {
    RegionInstruction made{};
    made.row_value = is_row_value(step_, a.shape);
    I::Fold fold{fold_kernel(work.kind, dtype(a)), 0, {}};
    if (fold_of_terms(a)) {
      made.in[0] = refs_.start_of_terms(a.operands[0], a.shape);
      fold.terms = static_cast<int>(work.terms.size());
    } else {
      made.in[0] = refs_.read(a.operands[0], a.shape, Reads::dense_only, false).ref;
      fold.terms = static_cast<int>(positions(graph_.mesh, work.axes));
    }
    bool is_tile = code_.refs[made.in[0]].base == scratch_base;
    if (is_large_ && !is_tile) fold.load = Load::ahead;
    if (work.kind == ReduceKind::sum) fold.sums = dtype(a);
    made.what = fold;
    finish(made, a.results[0], made.row_value, work);
  }

  void emit(std::size_t i, const Task& a, const RowsWork& work) {
    RegionInstruction made = fold_of_rows(i, a, reduce_rows_kernel(work.kind, dtype(a)),
                                          reduce_chain_rows_kernel(work.kind, dtype(a)));
    finish(made, a.results[0], true);
  }

  void emit(std::size_t i, const Task& a, const PiecesWork& work) {
    RegionInstruction made{};
    if (auto found = uses_.converted.find(i); found != uses_.converted.end()) {
      const Task& convert = task(found->second);
      made = fold_of_rows(i, convert, converting_kernel(graph_, convert, a), nullptr);
    } else {
      made = fold_of_rows(i, a, reduce_pieces_kernel(work.kind, dtype(a)),
                          reduce_chain_pieces_kernel(work.kind, dtype(a)));
    }
    made.out = refs_.place(a.results[0], refs_.pieces_in_memory(a.results[0]));
    refs_.add_offsets(made, buffer(a.results[0]).stored & step_.inner);
    code_.code.push_back(made);
  }

  /// A fold of rows in memory or in a tile, or of rows that a chain computes; without its result.
  RegionInstruction fold_of_rows(std::size_t i, const Task& a, ReduceRowsKernel kernel,
                                 ReduceChainRowsKernel of_chain) {
    RegionInstruction made{};
    if (auto chain = uses_.chains.find(i); chain != uses_.chains.end()) {
      made.by_row = true;  // lets operands repeat along a row, or from row to row
      const std::vector<StepOfChain> steps = steps_of(graph_, step_, chain->second);
      set_steps(made, steps);
      read_all(made, operands_of(steps), a.shape, Reads::dense_or_scalar);
      made.by_row = false;  // one call for all rows
      made.what = I::ChainRows{of_chain};
    } else {
      bool by_row = refs_.lies_by_rows(a.operands[0], a.shape);
      made.in[0] = refs_.read(a.operands[0], a.shape, Reads::dense_only, by_row).ref;
      made.what = I::Rows{kernel};
    }
    return made;
  }

  template <class W>
  void emit(std::size_t, const Task&, const W&) {
    ensure(false, "work that does not belong in a region");
  }

  void emit(std::size_t, const Task& a, const AssembleWork&) {
    RegionInstruction made{};
    made.what = I::Assemble{code_.assemblies.size()};
    made.operands = 0;
    code_.assemblies.push_back(refs_.assembly_of(a));
    finish(made, a.results[0], false);
    const RefId result = refs_.placed(a.results[0]);
    if (code_.refs[result].base != scratch_base) return;
    code_.assemblies.back().tile = refs_.same(result);
    if (only_chains_read(a.results[0])) rim_candidates_[a.results[0]] = code_.assemblies.size() - 1;
  }

  /// True if only chains read the value, each in one call per tile.
  bool only_chains_read(BufferId value) const {
    if (is_in_memory(value) || code_.space.rows != 1 || step_.inner != 0) return false;
    for (std::size_t i = 0; i < step_.tasks.size(); ++i) {
      if (std::ranges::find(task(i).operands, value, &Address::buffer) == task(i).operands.end()) continue;
      if (!can_be_chain(uses_.done_at(i))) return false;
    }
    return true;
  }

  /// True for the last task of a chain, and for a task that may be a chain alone.
  bool can_be_chain(std::size_t i) const {
    if (!std::holds_alternative<PointwiseWork>(task(i).work) || !chain_kernel(dtype(task(i)))) return false;
    const auto found = uses_.chains.find(i);
    if (found != uses_.chains.end()) return found->second.size() > 1;
    return step_of(graph_, step_, {i, Link::Before::nothing}).has_value();
  }

  /// The operands that may have a rim.
  std::vector<RimmedOperand> rims_of(const std::vector<const Address*>& operands) const {
    std::vector<RimmedOperand> rims;
    for (std::size_t j = 0; j < operands.size(); ++j)
      if (const auto found = operands[j] ? rim_candidates_.find(operands[j]->buffer) : rim_candidates_.end();
          found != rim_candidates_.end())
        rims.push_back({static_cast<int>(j), found->second});
    return rims;
  }

  void add_rims() {
    std::vector<std::size_t> candidates;
    for (const auto& [value, assembly] : rim_candidates_) candidates.push_back(assembly);
    refs_.add_rims(candidates);
    for (std::vector<RimmedOperand>& operands : code_.rims)
      std::erase_if(operands, [&](const RimmedOperand& of) { return !code_.assemblies[of.assembly].beside; });
  }

  /// The store mode of a fold or chain; null for other instructions, whose stores are plain.
  static Store* store_of(RegionInstruction& made) {
    if (auto* fold = std::get_if<I::Fold>(&made.what)) return &fold->store;
    auto* chain = std::get_if<I::Chain>(&made.what);
    return chain ? &chain->store : nullptr;
  }

  void finish(RegionInstruction& made, BufferId result, bool row_value, const FoldWork& fold = {}) {
    bool streams = is_streamed(result, row_value);
    if (Store* store = store_of(made); store && may_stream_itself(result)) {
      *store = Store::streaming;
      made.out = refs_.place(result, refs_.result_in_memory(result, row_value));
      streams = false;
    } else {
      made.out = result_ref(result, row_value);
    }
    AxisSet inner = buffer(result).stored & step_.inner;
    refs_.add_offsets(made, inner, fold);
    code_.code.push_back(made);
    if (!streams) return;
    RegionInstruction streamed{};
    streamed.what = I::StreamTile{};
    streamed.in[0] = made.out;
    streamed.out = refs_.result_in_memory(result, row_value);
    refs_.add_offsets(streamed, inner);
    code_.code.push_back(streamed);
  }

  const Graph& graph_;
  const Steps& steps_;
  const Step& step_;
  const RegionUses& uses_;
  RegionCode code_;
  OperandRefs refs_;
  std::map<BufferId, std::size_t> rim_candidates_;  // values that only chains read -> the assembly
  const bool is_large_;
};

}  // namespace

RegionCode make_region_code(const Graph& graph, const Steps& steps, StepId step,
                            const std::vector<std::size_t>& unit_axes, const RegionMemory& memory) {
  return Coder(graph, steps, step, unit_axes, memory).code();
}

}  // namespace tutti
