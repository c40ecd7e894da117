// SPDX-License-Identifier: Apache-2.0
// Kernels for complex64 and complex128; null if the function is not defined for complex numbers.
#pragma once

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

ElementwiseKernel complex_unary_kernel(UnaryFn fn, DType dtype);
ElementwiseKernel complex_binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b);
/// The kernel of BinaryFn::complex, which joins arrays of real and imaginary parts.
ElementwiseKernel complex_kernel_of_parts(DType part, Stride real, Stride imag);
ElementwiseKernel complex_compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b);
ReduceRowsKernel complex_reduce_rows_kernel(ReduceKind kind, DType dtype);
ReduceColumnsKernel complex_reduce_columns_kernel(ReduceKind kind, DType dtype);
FoldKernel complex_fold_kernel(ReduceKind kind, DType dtype);

}  // namespace tutti
