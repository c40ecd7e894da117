// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/tensor/windows/convolution_shape.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A prepared convolution of f32, f16 or bf16 by oneDNN. Arrays that oneDNN does not take as they lie are
/// copied to scratch: its fast code has features last.
/// Calls from several threads may overlap.
/// Throws R003 if oneDNN has no memory for its code.
class FloatConvolution {
 public:
  /// True for f32, f16 and bf16, up to three spatial dims, and sizes below 2^31, padding included.
  static bool takes(DType dtype, const ConvolutionShape& shape);
  /// True if the kernel is larger than the result: that is the gradient of a convolution by its kernel.
  /// oneDNN has a primitive for it, which sums over all positions of the kernel.
  static bool sums_positions(const ConvolutionShape& shape);

  FloatConvolution(DType dtype, const ConvolutionShape& shape);
  ~FloatConvolution();
  FloatConvolution(const FloatConvolution&) = delete;
  FloatConvolution& operator=(const FloatConvolution&) = delete;

  std::size_t scratch_bytes() const;
  double nanoseconds() const;  // estimate
  void run(std::byte* result, const std::byte* input, const std::byte* kernel, std::byte* scratch) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

}  // namespace tutti
