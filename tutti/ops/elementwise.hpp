// SPDX-License-Identifier: Apache-2.0
// The rules of element-wise ops for the types of their operands.
#pragma once

#include "tutti/ir/array.hpp"

namespace tutti::ops {

/// Throws T007 unless both have one dtype.
void require_same_dtype(Type a, Type b);
/// Throws T007 unless both have one dtype, T005 unless they have one shape.
void require_same_elements(Type a, Type b);

/// StableHLO's comparison_type.
std::string order_of(DType dtype);
/// Throws T007 for complex numbers.
void require_order(Type x);

/// "convert(x, DType::f32)": what a message advises.
std::string conversion_to(DType dtype);

}  // namespace tutti::ops
