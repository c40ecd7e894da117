// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti::ops {

/// The elements in reverse order along some dims; every state passes.
/// x: [..] -> [..].
/// Cost: none; readers step backwards.
/// Source: StableHLO reverse; jax.lax.rev.
struct Reverse {
  static constexpr std::string_view name = "reverse";
  static constexpr About about{"The elements in reverse order along some dims.", "rev"};

  Dims dims;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Reverse&) const = default;
};
static_assert(complete<Reverse>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.rev; over no dims: x itself.
/// Throws T006 for a dim out of range (reverse_c3) or named twice (reverse_c2).
Array rev(const Operand& x, const internal::WhichDims& dims = all_dims);

}  // namespace tutti
