// SPDX-License-Identifier: Apache-2.0
// Kernels without Highway loops: for functions that have no vector form, and for dtypes that are not in
// lanes.hpp.
// Null if there is no such kernel.
#pragma once

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

ElementwiseKernel scalar_unary_kernel(UnaryFn fn, DType dtype);
ElementwiseKernel scalar_binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b);
ElementwiseKernel scalar_compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b);
/// For elements of 2 or 16 bytes, else null.
ElementwiseKernel scalar_select_kernel(DType dtype, Stride predicate, Stride on_true, Stride on_false);
ElementwiseKernel scalar_clamp_kernel(DType dtype, Stride low, Stride x, Stride high);
ElementwiseKernel scalar_convert_kernel(DType from, DType to);
ReduceRowsKernel scalar_reduce_rows_kernel(ReduceKind kind, DType dtype);
ReduceColumnsKernel scalar_reduce_columns_kernel(ReduceKind kind, DType dtype);
FoldKernel scalar_fold_kernel(ReduceKind kind, DType dtype);

/// Sine and cosine by the C library, for arguments for which the vector functions are wrong.
void scalar_sin(float* out, const float* in, std::size_t n);
void scalar_sin(double* out, const double* in, std::size_t n);
void scalar_cos(float* out, const float* in, std::size_t n);
void scalar_cos(double* out, const double* in, std::size_t n);

}  // namespace tutti
