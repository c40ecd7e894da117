// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/devices/groups.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// x: V or U (sum only) along each axis, of any shape -> the same shape, I. Other axes: sum passes every
/// state, max and min refuse U. Folds pairwise in mesh order, whatever the order of the axes.
/// With groups V -> V: over the devices of its group; sizes may differ.
/// Derivative of max and min: the mean of the tangents of the devices that hold the extreme value. (For a
/// vmap axis and mesh axes together, batched first: the mean over the lanes, then over the devices.)
/// Cost: in one process one pass over the shards, inside the neighbouring region.
/// Throws T004 for U under max or min, T007 for the sum of bool (convert first), T009 for groups.
/// Source: StableHLO all_reduce; jax.lax.psum, pmax, pmin.
struct AllReduce {
  static constexpr std::string_view name = "all_reduce";
  static constexpr About about{
      "The sum, maximum or minimum over all devices along the axes; equal on all of them.",
      "psum, pmean, pmax, pmin, pargmax, pargmin"};

  ReduceKind kind = ReduceKind::sum;
  Axes axes;             // ascending: the order does not matter; with groups row-major in the order given
  Groups groups = {};    // of any sizes
  Axes equal_axes = {};  // see equal_along; explain() marks them, and no rule reads them

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  std::string_view refusal(Rule rule) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const { return axes; }
  Traffic traffic(const Types& operands) const;
  static std::vector<Example> examples();

  /// `equal_axes` does not count: both compute the same.
  bool operator==(const AllReduce& other) const {
    return kind == other.kind && axes == other.axes && groups == other.groups;
  }
};
static_assert(complete<AllReduce>());

/// The op itself; for rules.
Array all_reduce(const Array& x, Axes axes, ReduceKind kind = ReduceKind::sum, const Groups& groups = {});

}  // namespace tutti::ops

namespace tutti {

/// Options of psum, pmean, pmax and pmin. `groups`: devices reduce only within their group; none: all
/// together.
struct AllReduceOptions {
  ops::Groups groups = {};
};

/// jax.lax.psum: the sum over the devices of `axes`; of bool a count in i32. An x that is equal along one of
/// them counts once per device, n * x in all: a gradient by an equal parameter is such an x, and the sum over
/// the devices already.
/// x: any shape -> the same shape; invariant along `axes`, with groups varying.
/// Throws T001 for an axis that is not bound, T008 for a number, T009 for groups that do not fit, T004 for
/// terms of a sum with groups.
/// Example:
///     auto share = [](const Array& part) { return part / psum(reduce_sum(part), "i"); };
///     auto shares = shard_map(share, {.mesh = machine.mesh(), .in = P("i"), .out = P("i")});
Array psum(const Operand& x, const AxisNames& axes, const AllReduceOptions& options = {});
/// psum divided by the number of devices, with groups of those in the own group; f32 for bool and integers.
/// The sum has the dtype of x, as it goes from device to device: convert f16 to f32 first if sums may be
/// beyond 65504.
Array pmean(const Operand& x, const AxisNames& axes, const AllReduceOptions& options = {});
/// The maximum and the minimum over the devices of `axes`; of bool pmax is true if one is, pmin if all are.
/// Throws T004 for terms of a sum, T007 for complex dtypes.
Array pmax(const Operand& x, const AxisNames& axes, const AllReduceOptions& options = {});
Array pmin(const Operand& x, const AxisNames& axes, const AllReduceOptions& options = {});

}  // namespace tutti
