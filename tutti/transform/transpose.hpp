// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

/// The transpose of a program that is linear in the inputs marked in `linear`:
/// (known inputs, cotangents of all outputs) -> cotangents of the linear inputs, each in its dual type.
/// Throws T010 where an op on the way is not linear or refuses its transpose.
Program transpose(const Program& program, const Bits& linear);

}  // namespace tutti
