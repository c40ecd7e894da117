// SPDX-License-Identifier: Apache-2.0
// A fused region as code for the tile interpreter: for every unit and tile, instruction after instruction.
#pragma once

#include "tutti/run/code/worker_step.hpp"
#include "tutti/run/graph/space.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/fold_chains.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

/// One operand or result of an instruction: where it lies for the first tile of the first unit, and how that changes.
struct RegionRef {
  int base;  // index into RegionCode::bases; 0 = the worker's scratch
  std::int64_t offset;
  std::int64_t row_advance, column_advance;  // bytes per row and column that a tile starts further on
  std::int64_t row_stride, column_stride;    // bytes per row and column inside a tile
  std::int64_t element_bytes;
  bool row_value;  // one element per row
};

struct RegionInstruction {
  // stream: a tile of scratch goes to memory, past the caches. fetch: part of the next tile comes from there.
  enum class Kind : std::uint8_t {
    elementwise,
    chain,
    chain_rows,
    fold,
    fold_chain,
    rows,
    fetch,
    load,
    load_irregular,
    stream
  };
  static constexpr std::size_t most_operands = most_chain_steps;
  Kind kind;
  bool row_value = false;  // works on one element per row
  bool by_row = false;     // elementwise, chain: one call per row of a tile
  int operands = 1;
  union {
    ElementwiseKernel elementwise;
    ChainKernel chain;
    ReduceChainRowsKernel chain_rows;
    FoldKernel fold;
    ReduceRowsKernel rows;
  };
  int out = 0, in[most_operands] = {};  // refs
  // Per operand, but of folds and rows; of elementwise `repeats`, and `fn` if it could be a chain.
  ChainStep steps[most_operands] = {};
  int terms = 1;               // fold: how many; fetch: in how many parts
  std::optional<DType> sums;   // fold: of what it is a sum
  Load load = Load::plain;     // fold: from memory
  Store store = Store::plain;  // fold, chain: to memory
  int positions = 1;  // along inner axes; `offsets` has, for each, one for out and one per operand or term
  int offsets = 0;
  int which = 0;  // load_irregular: of RegionCode::loops; fold_chain: of RegionCode::fold_chains; fetch: part

  bool goes_through_elements() const { return kind == Kind::elementwise || kind == Kind::chain; }
  bool folds_rows() const { return kind == Kind::rows || kind == Kind::chain_rows; }
};

/// A sum, functions of it, and the chain that makes a result of them at each position: one kernel.
struct RegionFoldChain {
  struct Part {
    int ref;
    std::int64_t offset;
    bool repeats = false;
  };
  FoldChainKernel kernel;
  std::vector<ChainStep::Fn> on_fold;
  std::vector<FoldStep> steps;
  int results, terms;
  Load load;
  Store store;
  std::vector<Part> parts;  // the results, the terms, the operands as the kernel takes them
};

struct RegionCode {
  Space space;
  std::vector<std::int64_t> unit_sizes;  // of the outer axes, slowest first
  std::vector<std::byte*> bases;         // [0] is not used
  std::vector<int> base_buffers;         // buffer per base; -1 for scratch
  std::vector<RegionRef> refs;
  std::vector<std::int64_t> unit_strides;  // [ref][outer axis]
  std::vector<RegionInstruction> once;     // at the start of every unit
  std::vector<RegionInstruction> code;     // for every tile
  std::vector<RegionInstruction> whole;    // the same for whole tiles, with fold chains and fetches
  std::vector<RegionFoldChain> fold_chains;
  std::vector<std::int64_t> offsets;
  std::vector<std::vector<StridedLoop>> loops;
  std::size_t scratch_bytes = 0;
  bool streams = false;

  void run(const WorkerStep& part, StepContext& context) const;
  void touch(const WorkerStep& part, StepContext& context, const OnTouched& on_touched) const;
  std::int64_t units() const;
  /// Of an instruction's result (k = 0), operand or term (from 1 on) at a position.
  std::int64_t offset(const RegionInstruction& i, int position, int k) const {
    const std::int64_t each = 1 + (i.kind == RegionInstruction::Kind::fold ? i.terms : i.operands);
    return offsets[static_cast<std::size_t>(i.offsets + position * each + k)];
  }
};

/// A region of few calls, with every address worked out.
struct DirectCall {
  RegionInstruction::Kind kind;  // none that loads, fetches or streams
  int operands;
  union {
    ElementwiseKernel elementwise;
    ChainKernel chain;
    ReduceChainRowsKernel chain_rows;
    FoldKernel fold;
    ReduceRowsKernel rows;
  };
  std::byte* out;
  std::byte* in[RegionInstruction::most_operands];
  ChainStep steps[RegionInstruction::most_operands];
  std::vector<std::byte*> terms;                                         // fold
  std::int64_t n, columns, row_bytes[RegionInstruction::most_operands];  // of rows
};
struct DirectRegion {
  std::vector<DirectCall> calls;
  std::vector<std::int64_t> element_bytes;  // [call][out, in ..]

  void run(const WorkerStep& part, StepContext& context) const;
  void touch(const WorkerStep& part, StepContext& context, const OnTouched& on_touched) const;
};

/// Works out the addresses of `part`, a part of `code`, if it has few calls and loads nothing. False if not.
/// `scratch`: of its worker. `relocate` is told where addresses in which buffer have been put.
using OnRelocated = std::function<void(std::byte** at, int buffer, std::int64_t offset)>;
bool make_direct(const RegionCode& code, const WorkerStep& part, std::byte* scratch, DirectRegion& direct,
                 const OnRelocated& relocate);

}  // namespace tutti
