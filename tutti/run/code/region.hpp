// SPDX-License-Identifier: Apache-2.0
// A fused region as code for the tile interpreter, which runs all instructions for each tile of each unit.
#pragma once

#include <span>
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

/// Identifies a ref of a region's code.
enum class RefId : int {};
/// Identifies a base of a region's code: the memory that refs point into.
enum class BaseId : int {};
inline constexpr BaseId scratch_base{0};  // the worker's own tiles

/// An operand or result of an instruction: the address for the first tile of the first unit, and strides.
struct RegionRef {
  BaseId base;
  std::int64_t offset;
  std::int64_t row_advance, tile_advance;  // bytes per row of a tile's origin, and per tile along a row
  std::int64_t row_stride, column_stride;  // bytes per row and column within a tile
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
    ChainByRowsKernel by_rows = nullptr;             // for all rows of a tile; null: `kernel` for each row
    std::optional<std::size_t> rims = std::nullopt;  // of RegionCode::rims
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
  /// Puts a tile together from blocks. If one block has the whole tile, readers read it there instead. If
  /// one block has all but the rim, see RegionRim.
  struct Assemble {
    std::size_t which;  // of RegionCode::assemblies
  };
  /// Writes a tile of scratch to memory with non-temporal stores.
  struct StreamTile {};
  using What = std::variant<Elementwise, Chain, ChainRows, Fold, FoldChain, Rows, Fetch, LoadTile,
                            LoadIrregular, Assemble, StreamTile>;

  What what;
  bool row_value = false;  // computes one element per row
  bool by_row = false;     // elementwise, chain: one call per row of a tile
  int operands = 1;
  RefId out{}, in[most_operands] = {};
  // One step per operand of an Elementwise or a Chain. `repeats` is always set. `fn` is set only if a chain
  // can compute the function.
  ChainStep steps[most_operands] = {};
  int positions = 1;  // along inner axes
  /// Index of the instruction's first entry in RegionCode::offsets: per position, one for `out` and one per
  /// operand or term.
  std::size_t offsets = 0;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&what);
  }
  bool goes_through_elements() const { return as<Elementwise>() || as<Chain>(); }
  std::span<const ChainStep> chain_steps() const { return {steps, static_cast<std::size_t>(operands)}; }
  bool folds_rows() const { return as<Rows>() || as<ChainRows>(); }
  /// The number of operands or terms per position.
  int inputs() const { return as<Fold>() ? as<Fold>()->terms : operands; }
};

/// A fold chain (tensor/loops/fold_chains.hpp): a sum, functions of the sum, and a chain with one result per
/// position.
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
  std::vector<Part> parts;  // results, terms, then operands in the kernel's order
};

/// Blocks that lie in memory, as boxes of a region's space in row-major order. Sizes, boxes and strides have
/// one entry per dim, after neighbours that all blocks keep together have become one.
struct RegionAssembly {
  static constexpr std::size_t most_dims = 72;  // 64 axes, and the dims of a value of blocks

  struct Block {
    RefId ref;  // where the element at 0 would be
    std::vector<std::int64_t> begin, end, strides;
  };
  std::vector<std::int64_t> sizes;
  std::vector<Block> blocks;
  std::int64_t element_bytes;
  std::optional<RefId> tile;    // the tile in scratch; none: the result lies in memory
  std::size_t widest = 0;       // the block that is read in place between the rims
  std::optional<RefId> beside;  // the place of the rim; none: all columns are read in one place
  std::int64_t line() const { return sizes.back(); }
};

/// The columns of assemblies with two dims that are not read in place. One block per assembly has the columns
/// `begin` to `end` of each line, and its lines are contiguous, as in a tile. A chain reads these columns in
/// that block. It reads the other columns, the rim, from the tile in scratch. Only the rim is copied there.
struct RegionRim {
  std::int64_t line;  // the number of columns
  std::int64_t begin, end;
};

/// An operand of a chain that is read in two places.
struct RimmedOperand {
  int operand;
  std::size_t assembly;  // of RegionCode::assemblies
};

struct RegionCode {
  Space space;
  std::vector<std::int64_t> unit_sizes;                   // of the outer axes, slowest first
  Indexed<BaseId, std::byte*> bases;                      // scratch: null, each worker has its own
  Indexed<BaseId, std::optional<BufferId>> base_buffers;  // none: scratch
  Indexed<RefId, RegionRef> refs;
  std::vector<std::int64_t> unit_strides;  // [ref][outer axis]
  std::vector<RegionInstruction> once;     // at the start of every unit
  std::vector<RegionInstruction> code;     // for every tile
  std::vector<RegionInstruction> whole;    // `code` for whole tiles, with fold chains and prefetches
  std::vector<RegionFoldChain> fold_chains;
  std::vector<RegionAssembly> assemblies;
  std::vector<std::vector<RimmedOperand>> rims;  // per chain that reads a rim
  std::optional<RegionRim> rim;
  std::vector<std::int64_t> offsets;
  std::vector<std::vector<StridedLoop>> loops;
  std::size_t scratch_bytes = 0;
  bool streams = false;

  void run(const WorkerStep& step, StepContext& context) const;
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const;
  std::int64_t units() const;
  /// The offset of an instruction's result (k = 0), operand or term (from 1 on) at a position.
  std::int64_t offset(const RegionInstruction& i, int position, int k) const {
    return offsets[i.offsets + static_cast<std::size_t>(position * (1 + i.inputs()) + k)];
  }
};

/// A kernel call with all addresses resolved, for regions that make few calls.
struct DirectCall {
  struct Fold {
    FoldKernel kernel;
    std::vector<std::byte*> terms;
  };
  using I = RegionInstruction;
  std::variant<I::Elementwise, I::Chain, I::ChainRows, Fold, I::Rows> what;
  int operands;
  std::byte* out;
  std::byte* in[I::most_operands];  // unused by folds
  ChainStep steps[I::most_operands];
  std::int64_t n, columns, row_bytes[I::most_operands];  // for folds of rows
};
struct DirectRegion {
  /// How a call goes through an operand or its result.
  struct Access {
    std::int64_t element_bytes;
    bool repeats = false;  // always the same element
  };
  std::vector<DirectCall> calls;
  std::vector<Access> accesses;  // [call][out, in ..]

  void run(const WorkerStep& step, StepContext& context) const;
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const;
};

/// Turns `part` of `code` into direct calls. False if the calls are many, load tiles or store non-temporally.
/// `scratch` belongs to the part's worker. Calls `relocate` for every address of a buffer in the calls.
using OnRelocated = std::function<void(std::byte** at, BufferId buffer, std::int64_t offset)>;
bool make_direct(const RegionCode& code, const WorkerStep& step, std::byte* scratch, DirectRegion& direct,
                 const OnRelocated& relocate);

}  // namespace tutti
