// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// Declares that a value is equal on all devices, where the types cannot show it. No other op skips that
/// check. On virtual devices all devices get the value of the first device along the axes.
/// x: V of any shape -> the same, I over the axes. The transpose keeps the cotangent on the first device.
/// Cost: none; the result is read at other addresses. Lowered to nothing, so in StableHLO each device keeps
/// its own value.
/// Throws T004 for a value that is not V.
struct AssumeInvariant {
  static constexpr std::string_view name = "assume_invariant";
  static constexpr About about{
      "\"These are equal\", said where the types cannot know it: the value of the first device, on all.",
      "assume_invariant"};

  Axes axes;  // ascending: the order does not matter

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {{"axes", to_string(axes)}}; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Axes communicates() const { return axes; }
  Traffic traffic(const Types& operands) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const AssumeInvariant&) const = default;
};
static_assert(complete<AssumeInvariant>());

}  // namespace tutti::ops

namespace tutti {

/// x as a value that is equal on all devices of `axes`, because you say so. Axes along which it is that
/// already are left alone. Prefer psum, pmax or pbroadcast: they make it equal.
Array assume_invariant(const Operand& x, const AxisNames& axes);

}  // namespace tutti
