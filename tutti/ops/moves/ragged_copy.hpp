// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/devices/groups.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// How slices land in the output.
enum class Landing {
  replace,  // they replace rows; they must not overlap where they land
  add,      // they are added to rows; they must not overlap where they are taken from
};
/// "replace" or "add".
std::string_view name(Landing landing);

/// The columns of slices: the first row in the source, the number of rows, the first row in the target, and
/// the number of rows that the target expects. All int64 or all int32.
enum class SliceColumn { from, size, to, expected };
inline constexpr int slice_columns = 4;

/// Slices of rows of S blocks go to rows of D blocks, M slices from each block to each; other rows of the
/// output stay. The local half of ragged_all_to_all, and by itself its batch rule.
/// operand: [B, S, rows, ..], output: [B, D, rows', ..], slices: [B, S, D, M, 4] of i32 or i64, see
/// SliceColumn -> like output. B lanes do the same with their own rows. Every state of the operand and the
/// output passes; slices are I or R, and where they vary, all do.
/// The transpose by the operand takes the slices back, landing the other way.
/// Cost: a copy of the output and of the rows that move.
/// Throws T005, T007, T004; when it runs R005, with the numbers, for slices that leave a block, overlap (see
/// Landing), or are not as long as expected. Then nothing is written.
struct RaggedCopy {
  static constexpr std::string_view name = "ragged_copy";
  static constexpr About about{"Slices of rows, at offsets known only at run time, go to rows of the output.",
                               ""};

  Landing landing = Landing::replace;
  // For messages: what blocks are, "device" or "block", and if sources are those of a group, over which axes.
  std::string_view source = "block", target = "block";
  Axes axes = {};
  Groups groups = {};

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {{"landing", std::string(ops::name(landing))}}; }
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const RaggedCopy&) const = default;
};
static_assert(complete<RaggedCopy>());

/// The batch of an op on (operand, output, slices), each with B lanes as dim 0: those of the axis become more
/// of them.
BatchedArrays batch_as_lanes(const Op& op, const Axis& axis, const BatchedArrays& operands);
/// One column of slices, [..]; for rules.
Array column_of(const Array& slices, SliceColumn column);
/// Slices of these columns, each [..]; for rules.
Array slices_of(const Array& from, const Array& size, const Array& to, const Array& expected);

}  // namespace tutti::ops
