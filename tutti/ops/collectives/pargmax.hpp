// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/array.hpp"

namespace tutti {

/// jax.lax.pargmax, element by element: the position along `axes` of the device that holds the largest value,
/// the first of several, and of a NaN the first. i32, equal on all devices; no derivative. Throws T004 for an
/// unreduced x.
Array pargmax(const Operand& x, const AxisNames& axes);
/// The same for the smallest value.
Array pargmin(const Operand& x, const AxisNames& axes);

}  // namespace tutti
