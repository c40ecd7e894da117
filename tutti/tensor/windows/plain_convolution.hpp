// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/tensor/windows/convolution_shape.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A convolution of f32 or bf16 by plain loops: where oneDNN has ended, and destructors of statics still call
/// programs. Up to three spatial dims.
void convolve_plainly(DType dtype, ConvolutionShape shape, std::byte* result, const std::byte* input,
                      const std::byte* kernel);

}  // namespace tutti
