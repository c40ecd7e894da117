// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// x: V -> I over the axes, of any shape. The transpose of keeping a value on that device.
/// Throws T004 for an unreduced x, T009 if `from` is not a position along the axes.
/// Source: StableHLO collective_broadcast; jax.lax.pbroadcast.
struct Broadcast {
  static constexpr std::string_view name = "broadcast";
  static constexpr About about{"All devices along the axes receive the value of one of them.", "pbroadcast"};

  Axes axes;     // row-major in the order given
  int from = 0;  // joint position of the device whose value it is

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

  bool operator==(const Broadcast&) const = default;
};
static_assert(complete<Broadcast>());

/// The op itself; for rules.
Array broadcast(const Array& x, const Axes& axes, int from);

}  // namespace tutti::ops

namespace tutti {

/// Options of pbroadcast. `source`: a position along all of the axes.
struct PbroadcastOptions {
  int source = 0;
};

/// jax.lax.pbroadcast: the value of the device at position `source` along `axes`, on all of them.
Array pbroadcast(const Operand& x, const AxisNames& axes, const PbroadcastOptions& options = {});

}  // namespace tutti
