// SPDX-License-Identifier: Apache-2.0
// How StableHLO spells types, and the op that folds two elements.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/stablehlo/tree.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/type.hpp"

namespace tutti {

/// "i1" of bool, "ui8", "f32", "complex<f32>".
const char* element_name(DType dtype);
/// tensor<8x4xf32>; bool is i1.
stablehlo::TensorType tensor_type(Type type);
/// "stablehlo.add". On i1 it is or, and, or, and, as XLA computes them.
const char* reducer_name(ReduceKind kind);

}  // namespace tutti
