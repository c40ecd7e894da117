// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/kernels/ptx/atomics.hpp"

namespace tutti::kernels {

/// Writes the ops of a region in order, except its terminator. Tensor expressions are written at their first
/// use. Loops and branches become labels and jumps; each iteration overwrites the registers of carried
/// values.
void write_region(ThreadValues& values, const Region& region, PtxTarget target);

}  // namespace tutti::kernels
