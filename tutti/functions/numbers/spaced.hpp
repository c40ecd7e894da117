// SPDX-License-Identifier: Apache-2.0
// The values of linspace and of a histogram's edges, before they are rounded.
#pragma once

#include <cstdint>

#include "tutti/ir/array.hpp"

namespace tutti {

struct Spacing {
  bool endpoint = true;
  int dim = 0;  // of the result
};
/// n values from `start` to `stop` along a new dim, as NumPy: start + i * step. They are f64 or complex128,
/// whatever `dtype` they are then converted to: in f32 some whole numbers are missed.
/// Throws T005 for a negative n or shapes that do not broadcast, T006 for the dim, T008 for a number that
/// `dtype` cannot hold.
Array spaced(DType dtype, const Operand& start, const Operand& stop, std::int64_t n,
             const Spacing& spacing = {});

}  // namespace tutti
