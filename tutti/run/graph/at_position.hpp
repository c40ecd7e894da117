// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/program.hpp"

namespace tutti {

/// What the devices at one position along `axes` do, which is a program without these axes: (the position along each,
/// i32 scalars, the inputs) -> the outputs. For a program that does not communicate over them, whose inputs and
/// outputs may differ along them.
Program at_position(const Program& program, const Axes& axes);

}  // namespace tutti
