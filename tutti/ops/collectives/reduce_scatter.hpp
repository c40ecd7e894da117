// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/stacking.hpp"

namespace tutti::ops {

/// x: [.., n, .., d, ..], or tiled [.., n*d, ..], U -> [.., d, ..] V over the axes; n = their joint size.
/// With groups V -> V: the sum over the device's group. Each device keeps the block at its place in the
/// group.
/// Cost: each device receives (n-1)/n of the operand's bytes. In one process all_reduce's pass and a view.
/// Throws T006 if dim is out of range (reduce_scatter_c1), T005 if it does not split, T004 unless x is U,
/// T009 for groups.
/// Source: StableHLO reduce_scatter; jax.lax.psum_scatter, unreduced_psum_scatter.
struct ReduceScatter {
  static constexpr std::string_view name = "reduce_scatter";
  static constexpr About about{
      "The sum of the devices' terms, of which each device keeps the block at its own position.",
      "psum_scatter"};

  Axes axes;  // row-major in the order given
  Dim dim;    // of the operand
  Stacking stacking = Stacking::new_dim;
  Groups groups = {};    // of equal sizes
  Axes equal_axes = {};  // see equal_along; explain() marks them, and no rule reads them

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

  /// `equal_axes` does not count: both compute the same.
  bool operator==(const ReduceScatter& other) const {
    return axes == other.axes && dim == other.dim && stacking == other.stacking && groups == other.groups;
  }
};
static_assert(complete<ReduceScatter>());

/// The op itself; for rules.
Array reduce_scatter(const Array& x, const Axes& axes, Dim dim, Stacking stacking, const Groups& groups = {});

}  // namespace tutti::ops

namespace tutti {

/// Options of psum_scatter. `groups`: devices sum only within their group, of equal sizes; none: all
/// together.
struct PsumScatterOptions {
  int dim = 0;
  bool tiled = false;
  ops::Groups groups = {};
};

/// jax.lax.psum_scatter: the sum over the devices of `axes`. Each device keeps its own block along `dim`.
/// Varying x are taken as terms of the sum, as unreduced ones are; bools are counted in i32. An x that is
/// equal along one of the axes counts once per device.
Array psum_scatter(const Operand& x, const AxisNames& axes, const PsumScatterOptions& options = {});

}  // namespace tutti
