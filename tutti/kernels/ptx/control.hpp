// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/kernels/ptx/atomics.hpp"

namespace tutti::kernels {

/// Writes the ops of a region in order, except its terminator. Expressions of tensors wait until they are needed.
/// Loops and branches are labels; the values they carry are registers that each round writes again.
void write_region(ThreadValues& values, const Region& region, PtxTarget target);

}  // namespace tutti::kernels
