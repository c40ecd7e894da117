// SPDX-License-Identifier: Apache-2.0
// Kernels for f16 and bf16: blocks are widened to f32, computed by the f32 kernel and rounded once. Null for
// functions that floats do not have.
#pragma once

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

ElementwiseKernel half_unary_kernel(UnaryFn fn, DType dtype);
ElementwiseKernel half_binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b);
ElementwiseKernel half_compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b);
ElementwiseKernel half_clamp_kernel(DType dtype, Stride low, Stride x, Stride high);
/// Converts f16 or bf16 to f32, or f32 to f16 or bf16. Null for other pairs.
ElementwiseKernel half_convert_kernel(DType from, DType to);
ReduceRowsKernel half_reduce_rows_kernel(ReduceKind kind, DType dtype);
ReduceColumnsKernel half_reduce_columns_kernel(ReduceKind kind, DType dtype);

}  // namespace tutti
