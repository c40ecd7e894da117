// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

struct AppliedOp;

/// A program that stands for one op, so that it can be started like one: what batching or transposing a
/// collective gives where that is several ops.
struct Composite {
  static constexpr std::string_view name = "composite";
  static constexpr About about{"A program of one result that is started, and ends, as a whole.", ""};

  SubProgram body;
  std::shared_ptr<const AppliedOp> transpose_of = nullptr;  // if it is the transpose of an op: that one

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const;
  Traffic traffic(const Types& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Composite& other) const;
};
static_assert(complete<Composite>());

/// An op of one result on operands of these types. What it communicates is its first operand; others are
/// indices.
struct AppliedOp {
  Op op;
  Types operands;
  bool operator==(const AppliedOp&) const = default;
};
/// The op that makes the cotangent of the first operand from that of the result and the other operands: one
/// op where the rule records one, else a Composite. Its own transpose is `of` again.
/// Throws T010 unless the op is linear in the first operand alone.
Op transposed(const AppliedOp& of);
/// An op that does what `rule` records: that op if it is one, on all operands in order; else a Composite.
Op as_one_op(const Types& operands, const std::function<Array(const Arrays&)>& rule);

}  // namespace tutti::ops
