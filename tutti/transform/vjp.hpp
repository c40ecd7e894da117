// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

/// A program in two parts: its values, and the linear map from tangents of its inputs to tangents of its
/// outputs.
struct LinearizedProgram {
  Program known;   // inputs -> (outputs, residuals)
  Program linear;  // (residuals, tangents of the marked inputs) -> tangents of the `active` outputs
  Bits active;     // per output: its tangent depends on those of the inputs
};

/// The derivative of `program` by the inputs marked in `by`. Inputs of bool and integers have no tangent and
/// may not be marked. The last `auxiliary` outputs have no tangent, as in jvp.
LinearizedProgram linearize(const Program& program, const Bits& by, std::size_t auxiliary = 0);

/// The transpose of the linear part: (residuals, cotangents of the active outputs) -> cotangents of the
/// marked inputs.
Program pullback_of(const LinearizedProgram& linearized);

/// Reverse derivative, the two parts joined: (inputs, cotangents of the outputs that can have one) ->
/// (outputs, cotangents of the inputs marked in `by`).
Program vjp(const Program& program, const Bits& by, std::size_t auxiliary = 0);

}  // namespace tutti
