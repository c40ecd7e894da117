// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

struct SplitProgram {
  Program known;   // known inputs -> known outputs, residuals
  Program linear;  // residuals, linear inputs -> linear outputs
  Bits linear_outputs;
};

/// Cuts a program that is linear in some inputs in two: all that can be computed without them, and the rest.
SplitProgram split(const Program& program, const Bits& linear);

}  // namespace tutti
