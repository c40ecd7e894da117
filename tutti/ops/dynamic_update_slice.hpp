// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// An array with one window replaced. Scalars that are known only at run time say where the window starts.
/// They are clamped so that the window lies inside.
/// x: [d0, .., dn], update: [e0, .., en], n+1 starts: [] of i32 or i64 -> like x. Every state of x and the
/// update passes; starts are I or R, and where one varies, both do.
/// Cost: a copy of the update, and of x unless x is updated in place (a carry of a loop, a donated argument).
/// Source: StableHLO dynamic_update_slice; jax.lax.dynamic_update_slice.
struct DynamicUpdateSlice {
  static constexpr std::string_view name = "dynamic_update_slice";
  static constexpr About about{
      "An array of which a window is replaced that starts where scalars say, known at run time only.",
      "dynamic_update_slice, dynamic_update_slice_in_dim"};

  Mixing mixing() const { return Mixing::own; }
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const DynamicUpdateSlice&) const = default;
};
static_assert(complete<DynamicUpdateSlice>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.dynamic_update_slice; starts are arrays or numbers, one per dim. Unlike there, negative ones do
/// not count from the end: they are brought to 0.
/// Throws T006 unless there is a start per dim (dynamic_update_slice_c4), T005 if the update does not fit
/// into x (dynamic_update_slice_c3, _c6), T007 for other dtypes (dynamic_update_slice_c2, _c5), T004.
Array dynamic_update_slice(const Operand& x, const Operand& update, const std::vector<Operand>& starts);
/// jax.lax.dynamic_update_slice_in_dim: x[.., start : start + n, ..] = update along `dim`; a negative
/// start is brought to 0.
Array dynamic_update_slice_in_dim(const Operand& x, const Operand& update, const Operand& start, int dim = 0);

}  // namespace tutti
