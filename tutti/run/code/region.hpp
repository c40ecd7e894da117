// SPDX-License-Identifier: Apache-2.0
// A fused region as code for the tile interpreter: for every unit and tile, instruction after instruction.
#pragma once

#include <variant>

#include "tutti/base/indexed.hpp"
#include "tutti/run/code/worker_step.hpp"
#include "tutti/run/graph/address.hpp"
#include "tutti/run/graph/space.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/fold_chains.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

/// Names a ref of a region's code.
enum class RefId : int {};
/// Names a base of a region's code: the memory that refs point into.
enum class BaseId : int {};
inline constexpr BaseId scratch_base{0};  // the worker's own tiles

/// One operand or result of an instruction: its address for the first tile of the first unit, and how that changes.
struct RegionRef {
  BaseId base;
  std::int64_t offset;
  std::int64_t row_advance, column_advance;  // bytes per row and column that a tile starts further on
  std::int64_t row_stride, column_stride;    // bytes per row and column inside a tile
  std::int64_t element_bytes;
  bool row_value;  // one element per row
};

/// One instruction of the tile interpreter.
struct RegionInstruction {
  static constexpr std::size_t most_operands = most_chain_steps;

  struct Elementwise {
    ElementwiseKernel kernel;
  };
  struct Chain {
    ChainKernel kernel;
    Store store = Store::plain;
  };
  /// A chain whose result is folded row by row.
  struct ChainRows {
    ReduceChainRowsKernel kernel;
  };
  struct Fold {
    FoldKernel kernel;
    int terms;
    std::optional<DType> sums;  // the dtype, if it is a sum
    Load load = Load::plain;
    Store store = Store::plain;
  };
  struct FoldChain {
    std::size_t which;  // of RegionCode::fold_chains
  };
  struct Rows {
    ReduceRowsKernel kernel;
  };
  /// Prefetches one of `parts` equal parts of the next tile of its operand.
  struct Fetch {
    int part, parts;
  };
  /// Copies its operand into a tile of scratch.
  struct LoadTile {};
  struct LoadIrregular {
    std::size_t loops;  // of RegionCode::loops
  };
  /// Writes a tile of scratch to memory with non-temporal stores.
  struct StreamTile {};
  using What = std::variant<Elementwise, Chain, ChainRows, Fold, FoldChain, Rows, Fetch, LoadTile,
                            LoadIrregular, StreamTile>;

  What what;
  bool row_value = false;  // works on one element per row
  bool by_row = false;     // elementwise, chain: one call per row of a tile
  int operands = 1;
  RefId out{}, in[most_operands] = {};
  // Of elementwise functions and chains, per operand: `repeats`, and `fn` if it is or could be a chain.
  ChainStep steps[most_operands] = {};
  int positions = 1;  // along inner axes
  /// The first of the instruction's entries in RegionCode::offsets: for each position one for `out` and one per operand
  /// or term.
  std::size_t offsets = 0;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&what);
  }
  bool goes_through_elements() const { return as<Elementwise>() || as<Chain>(); }
  bool folds_rows() const { return as<Rows>() || as<ChainRows>(); }
  /// How many operands its kernel takes per position.
  int inputs() const { return as<Fold>() ? as<Fold>()->terms : operands; }
};

/// One kernel for a sum, functions of it, and a chain that makes one result per position of them.
struct RegionFoldChain {
  struct Part {
    RefId ref;
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
  std::vector<std::int64_t> unit_sizes;                   // of the outer axes, slowest first
  Indexed<BaseId, std::byte*> bases;                      // that of scratch is each worker's own
  Indexed<BaseId, std::optional<BufferId>> base_buffers;  // none: scratch
  Indexed<RefId, RegionRef> refs;
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
  /// The offset of an instruction's result (k = 0), operand or term (from 1 on) at a position.
  std::int64_t offset(const RegionInstruction& i, int position, int k) const {
    return offsets[i.offsets + static_cast<std::size_t>(position * (1 + i.inputs()) + k)];
  }
};

/// One call of a region that makes few calls, with every address worked out.
struct DirectCall {
  struct Fold {
    FoldKernel kernel;
    std::vector<std::byte*> terms;
  };
  using I = RegionInstruction;
  std::variant<I::Elementwise, I::Chain, I::ChainRows, Fold, I::Rows> what;
  int operands;
  std::byte* out;
  std::byte* in[I::most_operands];  // not of folds
  ChainStep steps[I::most_operands];
  std::int64_t n, columns, row_bytes[I::most_operands];  // of rows
};
struct DirectRegion {
  std::vector<DirectCall> calls;
  std::vector<std::int64_t> element_bytes;  // [call][out, in ..]

  void run(const WorkerStep& part, StepContext& context) const;
  void touch(const WorkerStep& part, StepContext& context, const OnTouched& on_touched) const;
};

/// Works out the addresses of `part`, a part of `code`, if it has few calls and loads nothing. False if not.
/// `scratch`: of its worker. `relocate` is told where addresses in which buffer have been put.
using OnRelocated = std::function<void(std::byte** at, BufferId buffer, std::int64_t offset)>;
bool make_direct(const RegionCode& code, const WorkerStep& part, std::byte* scratch, DirectRegion& direct,
                 const OnRelocated& relocate);

}  // namespace tutti
