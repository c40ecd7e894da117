// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// x: I or R -> U: the terms still sum to the value; or I -> V (keep_on_one): only that device has it.
/// Transposes: I -> U: cast R -> I; R -> U: mask; I -> V: broadcast from that device.
/// Throws T004 for values that differ between devices, T009 if `at` is not a position along the axes, T007
/// for terms of bool.
struct Mask {
  static constexpr std::string_view name = "mask";
  static constexpr About about{"One device along the axes keeps the value, the others hold zeros.",
                               "mask, keep_on_one"};

  Axes axes;                    // row-major in the order given
  int at = 0;                   // joint position of the device that keeps it
  State to = State::unreduced;  // or varying

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Mask&) const = default;
};
static_assert(complete<Mask>());

}  // namespace tutti::ops

namespace tutti {

/// Options of mask and keep_on_one. `at`: the position of the device that keeps x.
struct MaskOptions {
  int at = 0;
};

/// x on the first device, zeros elsewhere: terms whose sum over the devices of `axes` is x.
Array mask(const Operand& x, const AxisNames& axes, const MaskOptions& options = {});
/// x on one device of `axes`, zeros on the others; varying.
Array keep_on_one(const Operand& x, const AxisNames& axes, const MaskOptions& options = {});

}  // namespace tutti
