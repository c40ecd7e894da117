// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/stacking.hpp"

namespace tutti::ops {

/// x: [.., d, ..] V -> [.., n, d, ..], or tiled [.., n*d, ..], I or R over the axes; n = their joint size.
/// With groups every device receives the blocks of its group, in the group's order: V, n = size of a group.
/// Cost: each device receives (n-1)/n of the result's bytes. In one process one copy, or none if the shards
/// lie in order.
/// Throws T006 if dim is out of range (all_gather_c1), T004 for an unreduced x, T009 for groups.
/// Source: StableHLO all_gather; jax.lax.all_gather, all_gather_invariant, all_gather_reduced.
struct AllGather {
  static constexpr std::string_view name = "all_gather";
  static constexpr About about{
      "Every device receives the blocks of all devices along the axes, in the order of the tuple.",
      "all_gather"};

  Axes axes;  // row-major in the order given
  Dim dim;    // of the result
  Stacking stacking = Stacking::new_dim;
  State to = State::invariant;  // or reduced; varying with groups
  Groups groups = {};           // of equal sizes

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

  bool operator==(const AllGather&) const = default;
};
static_assert(complete<AllGather>());

/// The op itself; for rules.
Array all_gather(const Array& x, const Axes& axes, Dim dim, Stacking stacking, State to,
                 const Groups& groups = {});

}  // namespace tutti::ops

namespace tutti {

/// Options of all_gather. `groups`: devices gather only within their group, of equal sizes; none: all
/// together.
struct AllGatherOptions {
  int dim = 0;
  bool tiled = false;  // jax's word; Stacking inside
  ops::State to = ops::State::varying;
  ops::Groups groups = {};
};

/// jax.lax.all_gather: the blocks of all devices, along a new dim `dim` or tiled along an existing one.
/// .to = invariant: known to be equal on all devices, the gradient is each device's own block; .to = reduced:
/// equal, the gradient is a sum of terms; .to = varying: the same bits, typed as if they might differ. With
/// groups they do.
Array all_gather(const Operand& x, const AxisNames& axes, const AllGatherOptions& options = {});

}  // namespace tutti
