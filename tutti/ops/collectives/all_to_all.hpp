// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/stacking.hpp"

namespace tutti::ops {

/// Every device cuts its value in one block per device of its group and sends block k to the k-th; what it
/// receives it puts together in group order.
/// x: [.., n, .., d, ..] -> split is removed, [.., d, .., n, ..]: n stands at concat of the result; or tiled
/// [.., n*s, .., c, ..] -> [.., s, .., n*c, ..]. V over the axes; every other state passes. n = size of a
/// group.
/// The transpose exchanges split and concat.
/// Cost: each device sends (n-1)/n of its value. In one process none or one copy.
/// Throws T006 for dims out of range (all_to_all_c1, _c3), T005 if split does not split (all_to_all_c1), T009
/// for groups, T004 for an unreduced x.
/// Source: StableHLO all_to_all; jax.lax.all_to_all.
struct AllToAll {
  static constexpr std::string_view name = "all_to_all";
  static constexpr About about{
      "Every device sends its k-th block to the k-th device, and puts together what it receives.",
      "all_to_all, pswapaxes, packed_offsets"};

  Axes axes;   // row-major in the order given
  Dim split;   // of the operand
  Dim concat;  // of the result
  Stacking stacking = Stacking::new_dim;
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

  bool operator==(const AllToAll&) const = default;
};
static_assert(complete<AllToAll>());

}  // namespace tutti::ops

namespace tutti {

/// Options of all_to_all. `groups`: devices exchange only within their group, of equal sizes; none: all
/// together.
struct AllToAllOptions {
  int split = 0;   // of x
  int concat = 0;  // of the result; negative ones count from its end
  bool tiled = false;
  ops::Groups groups = {};
};

/// jax.lax.all_to_all: block k of x along `split` goes to the k-th device of `axes`; the blocks that arrive
/// lie along `concat`, as a new dim or tiled along an existing one.
Array all_to_all(const Operand& x, const AxisNames& axes, const AllToAllOptions& options = {});
/// jax.lax.pswapaxes: the devices of `axes` and the dim `dim` of x change places.
Array pswapaxes(const Operand& x, const AxisNames& axes, int dim, const ops::Groups& groups = {});

}  // namespace tutti
