// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/tensor/windows/convolution_shape.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A prepared convolution: by oneDNN for f32, f16 and bf16, else by patches and products of matrices. f16 is
/// widened to f32 and rounded once, and so is bf16 where oneDNN has no primitive for it. Any dtype but bool;
/// one spatial dim or more; no size is 0. A call runs on the calling thread alone. Calls may overlap, each
/// with scratch of its own.
/// The bits depend only on shape and operands. Threads can share the lines.
class ConvolutionProduct {
 public:
  ConvolutionProduct(DType dtype, const ConvolutionShape& shape);
  ~ConvolutionProduct();
  ConvolutionProduct(const ConvolutionProduct&) = delete;
  ConvolutionProduct& operator=(const ConvolutionProduct&) = delete;

  std::size_t scratch_bytes() const;
  double nanoseconds() const;  // estimate for the whole convolution
  /// The images of the result, or the rows of its first spatial dim if there is one image, or its features if
  /// the kernel is larger than the result. A call computes whole blocks of lines; the last block may be
  /// shorter.
  struct Lines {
    enum class Along { images, rows, features } along;
    std::int64_t count, block;
  };
  Lines lines() const;
  /// Computes the lines [begin, end) of the result.
  void run(std::byte* result, const std::byte* input, const std::byte* kernel, std::byte* scratch,
           std::int64_t begin, std::int64_t end) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

}  // namespace tutti
