// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/lanes.hpp"

namespace tutti {

/// The loops of the functions that SLEEF computes, and of erf_inv, for f32 and f64; null for all else.
ElementwiseKernel elementary_kernel(UnaryFn fn, Lanes lanes);

}  // namespace tutti
