// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// The program, without `axes`, that the devices at one position along `axes` run. Its inputs are the
/// position along each axis, as i32 scalars, then the inputs of `program`, which may differ along `axes`.
/// Requires that `program` does not communicate over `axes`.
Program at_position(const Program& program, const Axes& axes);

}  // namespace tutti
