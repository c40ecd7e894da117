// SPDX-License-Identifier: Apache-2.0
// f16 and bf16: blocks are widened to f32, computed with its kernels, and rounded once. Null where f32 has no kernel
// that floats have.
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
/// Between f16 or bf16 and f32.
ElementwiseKernel half_convert_kernel(DType from, DType to);
ReduceRowsKernel half_reduce_rows_kernel(ReduceKind kind, DType dtype);
ReduceColumnsKernel half_reduce_columns_kernel(ReduceKind kind, DType dtype);

}  // namespace tutti
