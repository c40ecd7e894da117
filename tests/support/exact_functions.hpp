// SPDX-License-Identifier: Apache-2.0
// The element functions in long double, which has 64 digits on x86: what f32 and f64 are compared with.
#pragma once

#include "tutti/tensor/loops/element_fn.hpp"

namespace tutti {

/// fn(x) for the functions whose result is rounded, with an error below 2^-60 of it. 0 for the others.
long double exact_value(UnaryFn fn, long double x);

}  // namespace tutti
