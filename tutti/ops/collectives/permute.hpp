// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/devices/groups.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// x: V of any shape -> the same, V over the axes; every other state passes. The transpose sends back.
/// Cost: each device sends its value once at most; in one process one copy.
/// Throws T009 for a source or target that is named twice or is not a position along the axes, T004 for an
/// unreduced x.
/// Source: StableHLO collective_permute; jax.lax.ppermute.
struct Permute {
  static constexpr std::string_view name = "permute";
  static constexpr About about{
      "Every target along the axes receives the value of its source; who is nobody's target holds zeros.",
      "ppermute, pshuffle"};

  Axes axes;    // row-major in the order given
  Pairs pairs;  // joint positions: source, target

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const { return axes; }
  Traffic traffic(const Types& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Permute&) const = default;
};
static_assert(complete<Permute>());

/// The source of each of n positions; -1: none. For rules.
std::vector<int> sources_of(const Pairs& pairs, int n);

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.ppermute: what the source of each pair holds, on its target; zeros on devices that are no target.
/// Positions count along all of `axes`, the first the slowest.
Array ppermute(const Operand& x, const AxisNames& axes, const Pairs& pairs);
/// jax.lax.pshuffle: device i receives what device sources[i] holds. Throws T009 unless every device is named
/// once.
Array pshuffle(const Operand& x, const AxisNames& axes, const std::vector<int>& sources);

}  // namespace tutti
