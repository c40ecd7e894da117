// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "tutti/run/code/region.hpp"
#include "tutti/run/fuse/steps.hpp"

namespace tutti {

/// Makes the refs of a region's code. An operand is read in memory or loaded into a tile first; a result is
/// written to memory or to a tile. Tiles of dead values are reused.
class OperandRefs {
 public:
  /// Sets the space, units and scratch base of `code`. All arguments must outlive the object.
  /// `unit_axes`: see make_region_code.
  OperandRefs(const Graph& graph, const Steps& steps, StepId step, const std::vector<std::size_t>& unit_axes,
              RegionCode& code);

  /// How an instruction reads an operand.
  struct Read {
    RefId ref;
    Stride step = Stride::dense;
  };
  enum class Reads { dense_only, dense_or_scalar };

  /// True if an instruction should be called row by row, so that operands that repeat along or across rows
  /// are read in place.
  bool goes_by_row(const std::vector<const Address*>& operands, const Shape& shape, Reads reads) const;
  /// The ref of an operand. Loads the operand into a tile first if an instruction with `reads` and `by_row`
  /// cannot read it in place.
  Read read(const Address& operand, const Shape& shape, Reads reads, bool by_row);
  /// True if the operand is in memory and its rows lie at a constant distance.
  bool lies_by_rows(const Address& operand, const Shape& shape) const;
  /// The ref that FoldWork::terms are relative to.
  RefId start_of_terms(const Address& operand, const Shape& shape);

  /// The blocks of AssembleWork, without a tile.
  RegionAssembly assembly_of(const Task& task);
  /// Lets the readers of tiles of blocks read one block where it lies, if this block has most of each line.
  /// `candidates`: the assemblies whose readers can.
  void add_rims(const std::vector<std::size_t>& candidates);
  /// Another ref of the same memory.
  RefId same(RefId of);

  RefId result_in_memory(BufferId buffer, bool row_value);
  /// The result of PiecesWork; an element of the ref is the 16 lanes of a piece.
  RefId pieces_in_memory(BufferId buffer);
  RefId result_in_scratch(BufferId buffer, bool row_value);
  /// From now on the value of `buffer` is read at `ref`. Returns `ref`.
  RefId place(BufferId buffer, RefId ref) { return placed_[buffer] = ref; }
  RefId placed(BufferId buffer) const { return placed_.at(buffer); }

  /// Adds the offsets of an instruction: one set per position along `inner`, with all terms of a fold.
  void add_offsets(RegionInstruction& i, AxisSet inner, const FoldWork& fold = {});

  /// Frees the tile of a value made here, if it has one.
  void release(BufferId buffer);
  /// Frees all tiles that operands were loaded into since the last call.
  void release_loaded();

 private:
  struct Temporary {
    std::int64_t offset, bytes;
  };
  struct LoadedOnce {
    Address address;
    bool row_value;
    RefId to;
  };
  enum class When { every_tile, once_per_unit };
  /// The rim of a block's lines, joined with that of the region; none if it is too wide.
  std::optional<RegionRim> joined_rim(const RegionAssembly& assembly,
                                      const RegionAssembly::Block& block) const;

  const Buffer& buffer(BufferId b) const { return graph_.buffers[b]; }
  bool is_made_here(BufferId b) const { return steps_.maker[b] == index_; }
  RegionRef& ref(RefId r) { return code_.refs[r]; }
  const std::vector<std::int64_t>& axis_strides(RefId ref) const { return axis_strides_[ref]; }

  Pattern pattern(const Address& address, const Shape& shape) const;
  RefId add_ref(RegionRef made, std::vector<std::int64_t> axis_strides);
  BaseId base_of(BufferId buffer);
  RefId in_memory(const Address& address, const Pattern& pattern, bool row_value);
  /// A tile of scratch for each position along the `inner` axes.
  RefId temporary(std::int64_t bytes, AxisSet inner, bool row_value, When when = When::every_tile);
  void free(RefId ref);
  Read read_made_here(RefId made, bool row_value, bool as_scalar);
  RefId load(RefId from, bool row_value, When when, std::optional<std::size_t> irregular_loops = {});
  RefId load_once(const Address& operand, RefId from, bool row_value);

  const Graph& graph_;
  const Steps& steps_;
  StepId index_;
  const Step& step_;
  const std::vector<std::size_t>& unit_axes_;
  RegionCode& code_;
  AxisSet merged_;
  std::map<BufferId, RefId> placed_;  // of values made here
  Indexed<RefId, std::vector<std::int64_t>> axis_strides_;
  std::map<RefId, Temporary> temporaries_;  // in use
  std::vector<Temporary> free_;
  std::vector<RefId> loaded_;  // since the last release_loaded()
  std::vector<LoadedOnce> loaded_once_;
};

}  // namespace tutti
