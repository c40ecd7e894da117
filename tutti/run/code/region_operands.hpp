// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "tutti/run/code/region.hpp"
#include "tutti/run/fuse/steps.hpp"

namespace tutti {

/// Where the instructions of a region find their operands and put their results, as refs of its code: operands as they
/// lie, or loaded into a tile first; results in memory or in a tile. Tiles of values that are done are used again.
class OperandRefs {
 public:
  /// Gives `code` the space, units and bases of the step; it and the others must live longer.
  /// `unit_axes`: see make_region_code.
  OperandRefs(const Graph& graph, const Steps& steps, StepId step, const std::vector<std::size_t>& unit_axes,
              RegionCode& code);

  /// An operand as an instruction reads it.
  struct Read {
    RefId ref;
    Stride step = Stride::dense;
  };
  enum class Reads { dense_only, dense_or_scalar };

  /// Rows of tiles one by one, so that operands that repeat along or across rows need not be written out.
  bool goes_by_row(const std::vector<const Address*>& operands, const Shape& shape, Reads reads) const;
  /// Loads the operand first if an instruction that `reads` so cannot read it where it lies.
  Read read(const Address& operand, const Shape& shape, Reads reads, bool by_row);
  /// An operand in memory whose rows have an even distance, whichever.
  bool lies_by_rows(const Address& operand, const Shape& shape) const;
  /// Where the terms of a fold begin that lie at distances from `operand`.
  RefId start_of_terms(const Address& operand, const Shape& shape);

  RefId result_in_memory(BufferId buffer, bool row_value);
  RefId result_in_scratch(BufferId buffer, bool row_value);
  /// From now on the value is read there; returns `ref`.
  RefId place(BufferId buffer, RefId ref) { return placed_[buffer] = ref; }

  /// One for every position along `inner`; a fold reads its terms at each of them.
  void add_offsets(RegionInstruction& i, AxisSet inner, const FoldWork& fold = {});

  /// The tile of a value made here, if it has one, may hold others now.
  void release(BufferId buffer);
  /// The same of all tiles that operands were loaded into since the last call.
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

  const Buffer& buffer(BufferId r) const { return graph_.buffers[r]; }
  bool is_made_here(BufferId r) const { return steps_.maker[r] == index_; }
  RegionRef& ref(RefId r) { return code_.refs[r]; }
  const std::vector<std::int64_t>& axis_strides(RefId ref) const { return axis_strides_[ref]; }

  Pattern pattern(const Address& address, const Shape& shape) const;
  RefId add_ref(RegionRef made, std::vector<std::int64_t> axis_strides);
  BaseId base_of(BufferId buffer);
  RefId in_memory(const Address& address, const Pattern& pattern, bool row_value);
  /// A tile of scratch with a place for every position along `inner` axes.
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
  std::map<BufferId, RefId> placed_;  // of buffers made here
  Indexed<RefId, std::vector<std::int64_t>> axis_strides_;
  std::map<RefId, Temporary> temporaries_;  // in use
  std::vector<Temporary> free_;
  std::vector<RefId> loaded_;  // for the present instruction only
  std::vector<LoadedOnce> loaded_once_;
};

}  // namespace tutti
