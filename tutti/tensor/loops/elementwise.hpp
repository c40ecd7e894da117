// SPDX-License-Identifier: Apache-2.0
// Loops over elements. Bits depend on shapes and values only, never on who calls, how work is split over workers, or alignment.
// Elements of bool arrays are bytes 0 or 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// out[i] = fn(in[0][i], in[1][i], ..) for i < n. `out` may be equal to a dense operand of the same element
/// size.
using ElementwiseKernel = void (*)(std::byte* out, const std::byte* const* in, std::int64_t n);

/// Throws T007 where fn is not defined for dtype (tanh of i32, and of f32).
/// Errors in units in the last place, f32 and f64, everywhere: exp 1.1, log 1, tanh 3.1, logistic 2.5, sqrt
/// 0.5 (rounded once), rsqrt = 1 / sqrt 1.5, sin and cos 3, log1p 2.6, expm1 4, erf 1 (tests/tensor/math_test.cpp).
ElementwiseKernel unary_kernel(UnaryFn fn, DType dtype);
/// Where both operands of a sum, difference, product or quotient of f32 or f64 are NaN the first comes out (x86). Of
/// bools: add, maximum are or; mul, minimum and.
ElementwiseKernel binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b);
ElementwiseKernel compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b);
/// in[0]: bool, in[1], in[2]: dtype.
ElementwiseKernel select_kernel(DType dtype, Stride predicate, Stride on_true, Stride on_false);
/// out[i] = limit where in[0][i] stands so to it, else in[2][i], with limit = in[1][0]: relu and its derivative. The
/// same bits as compare_kernel and then select_kernel. Null but for lt, le, gt and ge of f32 and f64.
ElementwiseKernel gate_kernel(CompareDirection direction, DType dtype);
/// minimum(maximum(in[0], in[1]), in[2]): in[1] kept between in[0] and in[2].
ElementwiseKernel clamp_kernel(DType dtype, Stride low, Stride x, Stride high);
ElementwiseKernel convert_kernel(DType from, DType to);

}  // namespace tutti
