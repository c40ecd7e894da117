// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// Round floats to a format of fewer bits, and keep the dtype: the numbers that a narrower dtype would have.
/// x: [..] of floats -> the same; every state passes. It counts as linear, as conversions between floats do:
/// tangents and cotangents are rounded as x is.
/// Cost: one pass. Numbers below the smallest normal one of the format become 0.
/// Source: StableHLO reduce_precision; jax.lax.reduce_precision.
struct ReducePrecision {
  static constexpr std::string_view name = "reduce_precision";
  static constexpr About about{"Rounds to a float of fewer bits; the dtype stays.", "reduce_precision"};

  std::int64_t exponent_bits, mantissa_bits;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const ReducePrecision&) const = default;
};
static_assert(complete<ReducePrecision>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.reduce_precision: x rounded to a float with these bits of exponent and mantissa, ties to even. A
/// number above the largest of the format becomes infinite; one below the smallest normal number becomes 0.
/// (8, 7) gives the numbers of bf16, (5, 10) those of f16 that are normal.
/// Throws T005 for exponent_bits < 1 (reduce_precision_c2) and mantissa_bits < 0 (reduce_precision_c3), T007
/// unless x is of floats.
Array reduce_precision(const Operand& x, std::int64_t exponent_bits, std::int64_t mantissa_bits);

}  // namespace tutti
