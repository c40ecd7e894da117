// SPDX-License-Identifier: Apache-2.0
// Shared code of functions that fold dims.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {

/// The dims of x to be folded, in ascending order. Throws T006 for one that is out of range or named twice.
Dims folded_dims(const Array& x, const WhichDims& dims);
/// `folded`, which lacks `dims` of x, with these dims of size 1 if they are kept.
Array with_kept_dims(const Array& folded, const Array& x, const Dims& dims, bool keepdims);
/// Inserts `dims` of x, which `folded` lacks, and repeats `folded` along them.
Array spread_along(const Array& folded, const Array& x, const Dims& dims);
/// How many elements of x are folded into one.
std::int64_t folded_elements(const Array& x, const Dims& dims);
/// x itself if it is of floats or complex numbers, else in f32.
Array as_inexact(const Array& x);
/// The same, and of f16 and bf16 in f32, in which their functions are computed.
Array as_computed(const Array& x);
/// Bool: the elements that are NaN.
Array is_nan_in(const Array& x);

}  // namespace tutti
