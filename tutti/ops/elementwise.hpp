// SPDX-License-Identifier: Apache-2.0
// What ops that work element by element ask of their operands.
#pragma once

#include "tutti/ir/array.hpp"

namespace tutti {

/// Throws T007 unless both have one dtype, T005 unless they have one shape.
void require_same_elements(Type a, Type b);

}  // namespace tutti
