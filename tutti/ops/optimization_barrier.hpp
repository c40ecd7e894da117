// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::ops {

/// The operands themselves, in any states; a compiler may not move work across it, nor merge what is computed
/// from them with the same computed from the originals. Costs nothing.
/// Source: StableHLO optimization_barrier; jax.lax.optimization_barrier.
struct OptimizationBarrier {
  static constexpr std::string_view name = "optimization_barrier";
  static constexpr About about{
      "The operands themselves; no compiler moves work across, or merges it with work on the originals.",
      "optimization_barrier"};
  static constexpr bool takes_pending = true;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {}; }
  Types infer(const Types& operands) const { return operands; }
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const OptimizationBarrier&) const = default;
};
static_assert(complete<OptimizationBarrier>());

/// optimization_barrier of a list of arrays.
Arrays optimization_barrier_flat(const Arrays& operands, Where where);

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.optimization_barrier of a tree.
template <class T>
T optimization_barrier(const T& t, Where where = Where::here()) {
  return tree::rebuild(t, ops::optimization_barrier_flat(tree::flatten(t), where));
}

}  // namespace tutti
