// SPDX-License-Identifier: Apache-2.0
// The two halves of a collective that runs while other work is done.
#pragma once

#include "tutti/control/wrapped/composite.hpp"

namespace tutti::ops {

/// Begins an op of one result. The result is pending: its type is `pending<op, T>` with the op's result type
/// T. A pending value is used exactly once, by the Done of its op or by an optimization_barrier, which gives
/// another one.
/// operands: those of the op -> pending.
/// The transpose of Start{op} is Done{T(op)}, and that of Done{op} is Start{T(op)}. The derivative of a
/// maximum completes it, and starts the sum of the tangents.
/// Cost: that of the op. In one process the work stands anywhere between the two.
/// Throws what the op throws.
/// Source: StableHLO async_start, async_done; the functions *_start of jax.lax.
struct Start {
  static constexpr std::string_view name = "start";
  static constexpr About about{"Begins a collective; other work may run until its result is taken.",
                               "psum_start, pmean_start, pmax_start, pmin_start, all_gather_start, "
                               "psum_scatter_start, all_to_all_start, "
                               "ppermute_start, pbroadcast_start, ragged_all_to_all_start, psend"};

  Op op;

  Mixing mixing() const { return op->mixing(); }
  std::string_view refusal(Rule rule) const { return op->refusal(rule); }
  Parameters parameters() const { return {{"op", to_string(op)}}; }
  std::vector<AxisStates> wants(const Types& operands) const { return op->wants(operands); }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const { return op->kernel(layout); }
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const { return op->lower(emitter, operands); }
  Axes communicates() const { return op->communicates(); }
  Traffic traffic(const Types& operands) const { return op->traffic(operands); }
  static std::vector<Example> examples();

  bool operator==(const Start&) const = default;
};
static_assert(complete<Start>());

/// Takes the result of a Start{op}.
/// pending<op, T>, and then the op's operands after the first, which are indices -> T.
/// Throws T016 for a value that is not pending, or waits for another op.
struct Done {
  static constexpr std::string_view name = "done";
  static constexpr bool takes_pending = true;
  static constexpr About about{"Waits for a collective that was started, and gives its result.", "precv"};

  Op op;

  Mixing mixing() const { return Mixing::own; }
  std::string_view refusal(Rule rule) const { return op->refusal(rule); }
  Parameters parameters() const { return {{"op", to_string(op)}}; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const { return op->communicates(); }
  Traffic traffic(const Types&) const { return {}; }  // its Start has them
  static std::vector<Example> examples();

  bool operator==(const Done&) const = default;
};
static_assert(complete<Done>());

/// The op and its operands that a pending value of this type waits for; null for other types.
const AppliedOp* started(Type type);

// For whoever runs examples of ops: users never hold a pending value, so a start and its end run together.

/// The example, or that of its start if the op is a Done.
Example from_the_start(const Example& example);
/// The results of the op on these operands, recorded in the current builder; if it is a start, what its Done
/// makes of them.
Arrays finished(const Op& op, const Arrays& operands, Arrays results);

}  // namespace tutti::ops
