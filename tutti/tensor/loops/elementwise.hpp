// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels. The bits of a result depend only on shapes and values: not on the calling thread, not
// on the split over workers, not on alignment. Elements of bool arrays are bytes 0 or 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// out[i] = fn(in[0][i], in[1][i], ..) for i < n. `out` may alias a dense operand with elements of the same
/// size, if both begin at the same address.
using ElementwiseKernel = void (*)(std::byte* out, const std::byte* const* in, std::int64_t n);

/// Throws T007 if fn is not defined for dtype, such as tanh of i32.
/// docs/accuracy.md has the error bounds of f32 and f64.
ElementwiseKernel unary_kernel(UnaryFn fn, DType dtype);
/// Throws T007 if fn is not defined for dtype, such as logical_and of f32. If both f32 or f64 operands of
/// add, sub, mul or div are NaN, the result is the first (x86). For bool, add and maximum are `or`, mul and
/// minimum are `and`.
ElementwiseKernel binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b);
ElementwiseKernel compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b);
/// out[i] = in[0][i] ? in[1][i] : in[2][i]. in[0] is bool, in[1] and in[2] are of `dtype`.
ElementwiseKernel select_kernel(DType dtype, Stride predicate, Stride on_true, Stride on_false);
/// A gate, as in relu and its derivative: out[i] = direction(in[0][i], limit) ? limit : in[2][i] with limit =
/// in[1][0].
/// The bits are those of compare_kernel and then select_kernel. Null unless direction is lt, le, gt or ge,
/// and dtype is f32 or f64.
ElementwiseKernel gate_kernel(CompareDirection direction, DType dtype);
/// Clamps in[1] to the range from in[0] to in[2]: minimum(maximum(in[0], in[1]), in[2]).
ElementwiseKernel clamp_kernel(DType dtype, Stride low, Stride x, Stride high);
ElementwiseKernel convert_kernel(DType from, DType to);

}  // namespace tutti
