// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/read/reading.hpp"

namespace tutti {

/// A copy of a block with the calls of short functions without regions written out. `next` is the number of
/// the first new value, and grows.
stablehlo::Block inlined(const SourceModule& source, const stablehlo::Block& block, int& next);

/// A number above those of all values in the operation.
int number_behind(const stablehlo::Operation& op);

}  // namespace tutti
