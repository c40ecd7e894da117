// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// minimum(maximum(low, x), high), element by element: x kept between the two. NaN if one of them is.
/// low, x, high: [..] of integers or floats -> [..].
/// The derivative by x is 1 between the bounds and 0 at and beyond them.
/// Source: StableHLO clamp; jax.lax.clamp.
struct Clamp {
  static constexpr std::string_view name = "clamp";
  static constexpr About about{"minimum(maximum(low, x), high), element by element: x kept between the two.",
                               "clamp"};

  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const { return {}; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"it is not linear"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Clamp&) const = default;
};
static_assert(complete<Clamp>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.clamp. The bounds broadcast to x as in NumPy and may be numbers.
/// Throws T005 if a bound does not broadcast to x's shape, T007 for bool and if dtypes differ, T004 for an
/// unreduced sum.
Array clamp(const Operand& low, const Operand& x, const Operand& high);

}  // namespace tutti
