// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/tensor/windows/convolution_shape.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A prepared convolution of f32 or bf16 by one primitive of oneDNN. Up to three spatial dims, no negative
/// padding; no size is 0.
/// forward: input and result lie features_last, the kernel anyhow, not reversed. No dilation of the input.
/// input_gradient: the same, with a reversed kernel, strides of 1, and dilation of the input.
/// kernel_gradient: input and kernel lie outer_last, the result anyhow. No dilation of the input, and the
/// kernel is not reversed.
class OneDnnConvolution {
 public:
  enum class Form { forward, input_gradient, kernel_gradient };
  /// True if the windows are those of a gradient by the input. The kernel may have either order.
  static bool is_input_gradient(const ConvolutionShape& shape);
  /// True if oneDNN has fast code for bf16; without AVX-512 it has none.
  static bool has_bf16(const ConvolutionShape& shape, Form form);

  OneDnnConvolution(DType dtype, const ConvolutionShape& shape, Form form);
  ~OneDnnConvolution();
  OneDnnConvolution(const OneDnnConvolution&) = delete;
  OneDnnConvolution& operator=(const OneDnnConvolution&) = delete;

  std::size_t scratch_bytes() const;
  void run(std::byte* result, const std::byte* input, const std::byte* kernel, std::byte* scratch) const;

 private:
  struct Primitive;
  static void call_small_one(DType dtype, Form form);
  std::unique_ptr<Primitive> primitive_;
};

}  // namespace tutti
