// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// predicate: bool [..], on_true: [..], on_false: [..] -> [..]. Linear in the branches. Along an axis where
/// they are U or R the predicate is the same on all devices, I or R; where it varies, the branches vary too.
/// Source: StableHLO select; jax.lax.select.
struct Select {
  static constexpr std::string_view name = "select";
  static constexpr About about{"Takes each element from on_true or on_false, as the predicate says.",
                               "select, where"};

  Mixing mixing() const { return Mixing::own; }
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Select&) const = default;
};
static_assert(complete<Select>());

}  // namespace tutti::ops

namespace tutti {

/// All three broadcast as in NumPy; of the branches one may be a number.
/// Throws T005 if the shapes do not broadcast, T007 if the predicate is not bool or the branches' dtypes
/// differ, T004 if one branch is an unreduced sum and the other is not, or the predicate varies where they
/// are one.
Array select(const Operand& predicate, const Operand& on_true, const Operand& on_false);
/// numpy.where: the same.
Array where(const Operand& predicate, const Operand& on_true, const Operand& on_false);

}  // namespace tutti
