// SPDX-License-Identifier: Apache-2.0
// The element functions without a vector form, as plain loops.
#pragma once

#include "tutti/tensor/kernels.hpp"

namespace tutti {

/// div, rem, pow and shifts of integers, mul of i64, rem, pow and atan2 of floats; null for the others.
ElementwiseKernel scalar_binary_kernel(BinaryFn fn, DType dtype, Step a, Step b);

/// erf; null for the others.
ElementwiseKernel scalar_unary_kernel(UnaryFn fn, DType dtype);

/// By the C library, for arguments that the vector functions are not right for.
void scalar_sin(float* out, const float* in, std::size_t n);
void scalar_sin(double* out, const double* in, std::size_t n);
void scalar_cos(float* out, const float* in, std::size_t n);
void scalar_cos(double* out, const double* in, std::size_t n);

ElementwiseKernel scalar_convert_kernel(DType from, DType to);

}  // namespace tutti
