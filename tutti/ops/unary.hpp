// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

/// The functions of one operand, element by element; each is printed under its own name. neg is linear.
/// x: [..] -> [..], the same type. neg, abs and sign take integers and floats, the others floats.
/// Source: StableHLO negate, exponential, log, tanh, sqrt, rsqrt, logistic, abs, sign; jax.lax.
struct Unary {
  UnaryFn fn;

  std::string_view name() const { return tutti::name(fn); }
  Mixing mixing() const;
  Parameters parameters() const { return {}; }  // the name says it
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  std::string_view refusal(Rule rule) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Unary&) const = default;
};
static_assert(complete<Unary>());

// Each throws T007 for a dtype it is not defined for, T004 (all but -) for an unreduced sum.
Array operator-(const Operand& x);
Array exp(const Operand& x);
Array log(const Operand& x);
Array tanh(const Operand& x);
Array sqrt(const Operand& x);
/// 1 / sqrt(x).
Array rsqrt(const Operand& x);
/// 1 / (1 + exp(-x)).
Array logistic(const Operand& x);
/// Of the smallest integer: itself. The derivative at 0 is 0.
Array abs(const Operand& x);
/// -1, 0 or 1; of -0 and NaN: itself. It has no tangent.
Array sign(const Operand& x);

}  // namespace tutti
