// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// x: any shape -> `to`, of as many elements; every state passes.
/// Cost: none where dims are only split or merged and the operand lies so; else one copy.
/// Source: StableHLO reshape; jax.lax.reshape.
struct Reshape {
  static constexpr std::string_view name = "reshape";
  static constexpr About about{"The same elements in row-major order under another shape.", "reshape"};

  Shape to;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Reshape&) const = default;
};
static_assert(complete<Reshape>());

}  // namespace tutti::ops

namespace tutti {

/// numpy.reshape. One size may be -1: what is left. x itself if it has that shape already.
/// Throws T005 if the numbers of elements differ (reshape_c2).
Array reshape(const Operand& x, Shape to);

}  // namespace tutti
