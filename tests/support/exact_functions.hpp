// SPDX-License-Identifier: Apache-2.0
// The element functions in more digits: what f32 and f64 are compared with.
#pragma once

#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/element_fn.hpp"

namespace tutti {

/// fn(x) for the functions whose result is rounded, with an error below 2^-60 of it where long double has 64
/// digits, as on x86. 0 for the other functions.
long double exact_value(UnaryFn fn, long double x);

/// exact_value in double, with an error below 2^-48: what f32 is compared with.
double double_value(UnaryFn fn, double x);

/// The C library's function of this type, a peer; none if it has no such function.
std::optional<float> libm_value(UnaryFn fn, float x);
std::optional<double> libm_value(UnaryFn fn, double x);

/// exact_value computed by libquadmath and rounded once; some microseconds each. Where the compiler has no
/// libquadmath it is exact_value.
long double quad_value(UnaryFn fn, long double x);

}  // namespace tutti
