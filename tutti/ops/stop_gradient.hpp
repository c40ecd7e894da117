// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The same value, in any states, without a tangent. Costs nothing.
/// Source: jax.lax.stop_gradient.
struct StopGradient {
  static constexpr std::string_view name = "stop_gradient";
  static constexpr About about{"The same value, without a tangent.", "stop_gradient"};
  static constexpr bool takes_pending = true;  // a barrier also holds values without tangents

  Mixing mixing() const { return Mixing::linear; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"stop_gradient has no tangent"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const StopGradient&) const = default;
};
static_assert(complete<StopGradient>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.stop_gradient: x, as a constant to derivatives. Costs nothing.
Array stop_gradient(const Operand& x);

}  // namespace tutti
