// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

/// One of several programs, chosen by an index that is clamped to [0, branches - 1].
/// index: i32 scalar, I, R or V; the other operands are those of every branch, the results theirs. Where the
/// index is V, operands and results are V as well, and no branch communicates over that axis.
/// Cost: that of the branch taken, on the devices that take it.
/// Throws T004 for an index that is a partial sum, or differs where a branch communicates.
/// Source: StableHLO case; jax.lax.cond, jax.lax.switch.
struct Switch {
  static constexpr std::string_view name = "switch";
  static constexpr About about{"One of several programs, chosen by an index; each device takes its own way.",
                               "cond, switch_"};

  std::vector<SubProgram> branches;  // all with the same types of inputs and outputs

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  OpSplit split(const LinearOperands& operands) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const;
  Traffic traffic(const Types& operands) const;
  std::vector<SubProgram> programs() const { return branches; }
  Switch with_programs(const std::vector<SubProgram>& programs) const { return {programs}; }
  static std::vector<Example> examples();

  bool operator==(const Switch& other) const;
};
static_assert(complete<Switch>());

}  // namespace tutti
