// SPDX-License-Identifier: Apache-2.0
// Positions of devices along axes, as digits of their numbers.
#pragma once

#include <compare>
#include <vector>

#include "tutti/types/mesh.hpp"

namespace tutti {

/// One digit of a device's number: (number / stride) % size.
struct Digit {
  int stride, size;
  auto operator<=>(const Digit&) const = default;
};
using Digits = std::vector<Digit>;

/// The digits whose row-major number is a device's position along the axes. Neighbours in the mesh are one
/// digit; axes of size 1 have none. Throws I001 for an axis that is not in the mesh.
Digits digits_of(const Axes& axes, const Mesh& mesh);

}  // namespace tutti
