// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

/// The transpose of a program that is linear in the inputs marked in `linear`:
/// (known inputs, cotangents of all outputs) -> cotangents of the linear inputs, each in its dual type.
/// Throws T010 where an op on the way is not linear or refuses its transpose.
Program transpose(const Program& program, const Bits& linear);

/// Reverse derivative: (inputs, cotangents of the outputs that can have one) -> (outputs, cotangents of the
/// inputs marked in `by`). Inputs of bool and integers have no cotangent and may not be marked. The last
/// `auxiliary` outputs have no cotangent, as in jvp.
Program vjp(const Program& program, const Bits& by, std::size_t auxiliary = 0);

}  // namespace tutti
