// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti::ops {

/// Each device hands in its block of a global value under one sharding and gets its block under another.
/// x: local_type(whole, from) -> local_type(whole, to). An axis that only `from` names is I in the result,
/// one that only `to` names is I in x. Axes that neither names pass in every state. Terms and partial
/// gradients stay.
/// The transpose is Exchange{shape, dual(to), dual(from)}.
/// Cost: in one process at most one copy; two if a dim changes from 2 blocks to 3, or between other numbers
/// of blocks without digits in common. In StableHLO slices, then at most one collective_permute, one
/// all_to_all and one all_gather. Without digits in common each device gathers along all axes that the two
/// shardings split differently.
/// Throws T013 for shardings of another rank or on two meshes, and for an axis that is named twice; T005 for
/// a dim that does not split and for an x of another shape; T004 for an x in other states and for shardings
/// with different terms.
/// Source: sdy.reshard, and what Shardy lowers it to; one all_to_all between any dims is ours.
struct Exchange {
  static constexpr std::string_view name = "exchange";
  static constexpr About about{
      "Every device hands in its block of a value under one sharding and gets its block under another.",
      "exchange"};

  Shape shape;  // of the whole
  Sharding from, to;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  /// None if every device has its block already. Else the axes that stand elsewhere in `from` than in `to`.
  Axes communicates() const;
  Traffic traffic(const Types& operands) const;
  static std::vector<Example> examples();
  /// The same by way of what both shardings have in common, if no digits lead from blocks to blocks; else
  /// null.
  SubProgram in_two(const Types& operands) const;

  bool operator==(const Exchange&) const = default;
};
static_assert(complete<Exchange>());

/// x, the block under `from` of a global array of shape `whole`, becomes the block under `to`.
Array exchange(const Operand& x, const Shape& whole, const Sharding& from, const Sharding& to);

/// The same by slices, Permute, AllToAll and AllGather: what XLA runs.
Array exchange_by_moves(const Array& x, const Exchange& op);

}  // namespace tutti::ops
