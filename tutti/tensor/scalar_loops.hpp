// SPDX-License-Identifier: Apache-2.0
// The element functions without a vector form, as plain loops.
#pragma once

#include "tutti/tensor/kernels.hpp"

namespace tutti {

/// div, rem and pow of integers, mul of i64, rem and pow of floats; null for the others.
ElementwiseKernel scalar_binary_kernel(BinaryFn fn, DType dtype, Step a, Step b);

ElementwiseKernel scalar_convert_kernel(DType from, DType to);

}  // namespace tutti
