// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/devices/groups.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/moves/ragged_copy.hpp"

namespace tutti::ops {

/// Every device cuts slices of rows out of its operand, K/N for each of the N devices of its group, and they
/// land in the outputs of those devices at rows that the sender names. Other rows of an output stay as they
/// are.
/// operand: [B, rows, ..], output: [B, rows', ..], slices: [B, K, 4] of i32 or i64, see SliceColumn -> like
/// output. Slice k goes to device k / (K/N): `size` rows from `from` on, which land from row `to` on there.
/// `expected` is about the slices that arrive: slice k is from device k / (K/N). V over the axes; every other
/// state of operand and output passes; slices are I or R there, and where they vary, all do. B lanes do the
/// same with their own rows.
/// The transpose by the operand sends the rows back. There they are added: input slices may overlap.
/// Cost: in one process a copy of the rows that move.
/// Throws T005, T007, T009, T004; when it runs R005, see RaggedCopy.
/// Source: jax.lax.ragged_all_to_all; XLA's RaggedAllToAll.
struct RaggedAllToAll {
  static constexpr std::string_view name = "ragged_all_to_all";
  static constexpr About about{
      "Every device sends slices of rows, of lengths known only at run time, to the devices of its group.",
      "ragged_all_to_all"};

  Axes axes;  // row-major in the order given
  Landing landing = Landing::replace;
  Groups groups = {};  // of equal sizes

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const { return axes; }
  Traffic traffic(const Types& operands) const;
  static std::vector<Example> examples();
  /// The same for operands of these types: all_gather of the operands, all_to_all of the slices, ragged_copy.
  SubProgram by_gather(const Types& operands) const;

  bool operator==(const RaggedAllToAll&) const = default;
};
static_assert(complete<RaggedAllToAll>());

}  // namespace tutti::ops

namespace tutti {

/// K integers of one dtype, i32 or i64, in each array. Slice k goes to device k / (K/N) of the group.
struct RaggedSlices {
  Array input_offsets;   // the first row of slice k in the operand
  Array send_sizes;      // its number of rows
  Array output_offsets;  // the row where it lands, in the output of the device that receives it
  std::optional<Array> recv_sizes = {};  // of the slices that arrive; none: all_to_all of send_sizes
};
/// Options of ragged_all_to_all and packed_offsets. `groups`: devices exchange only within their group, of
/// equal sizes; none: all together.
struct RaggedOptions {
  ops::Groups groups = {};
};

/// jax.lax.ragged_all_to_all: the rows of `output`, with slices of the operands of all devices in the places
/// where they land. Slices may overlap where they are taken from, not where they land.
/// operand: [rows, ..], output: [rows', ..] of the same dtype and row shape -> like output.
/// Throws T005, T007 for what does not fit, T009 for groups, T004; when it runs R005 for slices that leave an
/// array, overlap where they land, or are not of the sizes that recv_sizes says.
Array ragged_all_to_all(const Operand& operand, const Array& output, const RaggedSlices& slices,
                        const AxisNames& axes, const RaggedOptions& options = {});

/// Output offsets with which the slices that a device receives lie without gaps, ordered by sender, then
/// slice.
/// send_sizes: [K] -> [K], for RaggedSlices::output_offsets.
Array packed_offsets(const Array& send_sizes, const AxisNames& axes, const RaggedOptions& options = {});

}  // namespace tutti

namespace tutti::ops {

/// A call of ragged_all_to_all, for ragged_all_to_all_start.
struct RaggedCall {
  RaggedAllToAll op;
  Arrays operands;  // operand, output, slices
};
/// Checks the arguments of ragged_all_to_all and makes its op and operands, without recording the op. Throws
/// as ragged_all_to_all.
RaggedCall ragged_call(const Array& operand, const Array& output, const RaggedSlices& slices,
                       const AxisNames& axes, const RaggedOptions& options);
/// The slices that arrive, of one block to another: from where they land to the same rows.
Array landed_slices(const RaggedCall& call);
/// The output of the call with the rows of `landed` taken from `rows`, what the op gives for zeros as its
/// output.
Array over_output(const RaggedCall& call, const Array& rows, const Array& landed);

}  // namespace tutti::ops
