// SPDX-License-Identifier: Apache-2.0
// Ops that stand for one program and differ only in their derivatives.
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

std::vector<AxisStates> call_wants(const Program& body);
/// The types of the outputs; throws as require_type where the operands are not those of `body`.
Types call_infer(const Program& body, const Types& operands);
/// The op made of a body without `axis`, on operands with lanes where the types of `body` say so.
BatchedArrays call_batch(const Program& body, const Op& batched, const Axis& axis,
                         const BatchedArrays& operands);

/// The program that computes what `op` does with operands of these types, if it is one of these ops, a
/// ragged_all_to_all, the argmax of a long line or an exchange in two steps; else null.
SubProgram called(const Op& op, const Types& operands);
/// Ops that with_calls_inlined keeps.
struct Uninlined {
  bool futures = false;      // Start and Done
  bool own_futures = false;  // Start and Done of ops that no program stands for
  bool ragged = false;       // ragged_all_to_all
  bool long_argmax = false;  // argmax of a long line
  bool exchanges = false;    // Exchange
};
/// The program with their programs in their places, and without pending values: a started op stands where it
/// starts.
/// Inside of sub-programs as well.
Program with_calls_inlined(const Program& program, const Uninlined& kept = {});

}  // namespace tutti
