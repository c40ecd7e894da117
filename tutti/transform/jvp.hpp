// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

struct JvpProgram {
  Program program;  // (inputs, tangents of the nonzero inputs) -> (outputs, tangents of the nonzero outputs)
  Bits nonzero;     // which outputs have a tangent
};

/// Forward derivative: the program together with how its outputs change when the inputs change by their
/// tangents.
/// `nonzero` says which inputs have one (bool and integers never have); outputs in `instantiate` get one even
/// if it is zero. The last `auxiliary` outputs are not differentiated: they have no tangent, and equations
/// that only they need may refuse theirs. Throws T010 with the op's reason where a rule is refused.
JvpProgram jvp(const Program& program, const Bits& nonzero, const Bits& instantiate = {},
               std::size_t auxiliary = 0);

}  // namespace tutti
