// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/array.hpp"

namespace tutti {

/// Zeros of any type: a constant, cast to V and R, masked to U. Known values; see zero_tangent for zeros that
/// stand for tangents.
Array zeros_of(Type type);

/// Ones of any type; along axes where it is U the first device keeps them, so that they sum to one.
Array ones_of(Type type);

/// `x`, which is equal on all devices, as a value of these states: cast to V and R, masked to U.
Array in_states(const Array& x, const AxisStates& states);

}  // namespace tutti
