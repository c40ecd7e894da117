// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/tensor/windows/convolution_shape.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A prepared convolution of f32 or bf16 by one primitive of oneDNN. Up to three spatial dims, no dilation of
/// the input, no negative padding, no reversed kernel; no size is 0.
/// forward: input and result lie features_last, the kernel anyhow.
/// kernel_gradient: input and kernel lie outer_last, the result anyhow.
class OneDnnConvolution {
 public:
  enum class Form { forward, kernel_gradient };
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
