// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/tensor/windows/convolution_shape.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A prepared convolution by patches: each row of a matrix has the elements that one element of the result
/// sees. Its product with the kernel is the result. Patches are made for some rows of the result at a time.
/// Any dtype but bool; no size is 0. Calls may overlap, each with scratch of its own.
class PatchConvolution {
 public:
  PatchConvolution(DType dtype, const ConvolutionShape& shape);
  ~PatchConvolution();
  PatchConvolution(const PatchConvolution&) = delete;
  PatchConvolution& operator=(const PatchConvolution&) = delete;

  std::size_t scratch_bytes() const;
  double nanoseconds() const;  // estimate
  void run(std::byte* result, const std::byte* input, const std::byte* kernel, std::byte* scratch) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

}  // namespace tutti
