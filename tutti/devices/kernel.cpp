// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/kernel.hpp"

namespace tutti {

Coordinate along(Dim dim, std::int64_t weight) { return {Coordinate::Of::dim, dim, {}, weight}; }
Coordinate along(const Axis& axis) { return {Coordinate::Of::axis, {}, axis, 1}; }

}  // namespace tutti
