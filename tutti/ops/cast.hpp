// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// Changes the state of a value without moving data: the free moves between states.
/// I -> V, I -> R, R -> V, R -> I, and V -> U, "these are partial terms".
/// The backward pass communicates in the transpose: T(I -> V) and T(I -> R) are all_reduce, T(R -> I) is
/// mask. T(R -> V) is V -> U, and T(V -> U) is R -> V.
/// Throws T004 where there is no free move, T007 for terms of bool.
/// Source: jax.lax.pcast, pvary, preduced, vary_unreduced_cast, reduced_vary_cast.
struct Cast {
  static constexpr std::string_view name = "cast";
  static constexpr About about{
      "The same value, seen otherwise: the free moves between states. No data moves.", "pcast"};

  Axes axes;  // ascending
  State from;
  State to;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Cast&) const = default;
};
static_assert(complete<Cast>());

/// x in states `to`, by free casts only, one per pair of states. Throws T004 where there is none.
Array cast_to(const Array& x, const AxisStates& to);
/// The same along `axes` only.
Array cast_to(const Array& x, const Axes& axes, State to);

/// Throws T004 unless free casts lead from `found` to `wanted`; `what` names the value.
void require_free_casts(std::string_view what, Type found, Type wanted);

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.pcast: x seen as `to` along `axes`. Axes where it is that already are left alone.
/// Throws T004 for U -> anything (reduce it) and for V -> I, V -> R (devices may differ).
Array pcast(const Operand& x, const AxisNames& axes, ops::State to);

}  // namespace tutti
