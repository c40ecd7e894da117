// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The same value, in any states, under a name by which a remat may keep it for its gradient. Costs nothing.
/// Its tangent has no name.
/// Source: jax.ad_checkpoint.checkpoint_name.
struct CheckpointName {
  static constexpr std::string_view name = "checkpoint_name";
  static constexpr About about{"The same value, under a name by which remat may keep it.", "checkpoint_name"};

  std::string called;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const CheckpointName&) const = default;
};
static_assert(complete<CheckpointName>());

}  // namespace tutti::ops

namespace tutti {

/// x under a name: remat(f, {.keep = {"hidden"}}) keeps checkpoint_name(x, "hidden") for the gradient.
/// Throws T015 for an empty name.
Array checkpoint_name(const Operand& x, const std::string& name);

}  // namespace tutti
