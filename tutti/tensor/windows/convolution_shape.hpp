// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/copies.hpp"

namespace tutti {

/// One number per dim of an array of a convolution: sizes, or strides in elements. All three arrays have a
/// dim of groups. `outer`: images of the input and the result, features of the result for the kernel.
struct ConvolutionDims {
  std::int64_t group = 1, outer = 1, feature = 1;
  std::vector<std::int64_t> spatial = {};

  bool operator==(const ConvolutionDims&) const = default;
  /// The product of all sizes.
  std::int64_t elements() const;
};

/// Sizes and strides of a convolution. Groups do not see each other:
/// result[g, n, o, p] = sum over c, k of input[g, n, c, q] * kernel[g, o, c, k], where q is an element of the
/// input, p * stride + k * kernel_dilation - low = q * in_dilation.
/// Groups of features and of images differ only in their strides.
struct ConvolutionShape {
  struct Window {
    std::int64_t in = 1, kernel = 1, out = 1;                                // sizes
    std::int64_t stride = 1, low = 0, in_dilation = 1, kernel_dilation = 1;  // a negative low cuts elements
    bool reversed = false;  // reads the kernel from its last element to the first
    bool operator==(const Window&) const = default;
    /// Elements between the first and the last one that the kernel sees, both included.
    std::int64_t reach() const { return (out - 1) * stride + (kernel - 1) * kernel_dilation + 1; }
  };
  std::int64_t groups, batch, in_features, out_features;  // features per group
  std::vector<Window> windows;
  ConvolutionDims input, kernel, result;  // strides

  bool operator==(const ConvolutionShape&) const = default;
  ConvolutionDims input_sizes() const;
  ConvolutionDims kernel_sizes() const;
  ConvolutionDims result_sizes() const;
  /// Multiplications, as if nothing stood in the padding.
  double multiplications() const;
};

/// Strides of a dense array with dims in the order outer, spatial.., group, feature.
ConvolutionDims features_last(const ConvolutionDims& sizes);
/// Strides of a dense array with dims in the order feature, spatial.., group, outer.
ConvolutionDims outer_last(const ConvolutionDims& sizes);
/// Strides of a dense array with dims in the order group, spatial.., feature, outer.
ConvolutionDims matrices_by_group(const ConvolutionDims& sizes);
/// True if the strides are equal in all dims that have more than one element.
bool lie_equally(const ConvolutionDims& sizes, const ConvolutionDims& a, const ConvolutionDims& b);

/// Loops that copy an array to other strides. The order of the loops is the order of the new array.
std::vector<CopyLoop> copy_loops(const ConvolutionDims& sizes, const ConvolutionDims& to,
                                 const ConvolutionDims& from, std::size_t element_bytes);

/// A copy of the input of a convolution that includes its padding and dilation.
struct PackedInput {
  std::vector<CopyLoop> loops;
  std::int64_t to, from;  // bytes to the first element
  std::size_t bytes;
  bool has_zeros;

  /// Writes the copy.
  void pack(std::byte* copy, const std::byte* input, std::size_t element_bytes) const;
};
/// `strides` says how the copy lies: features_last or outer_last. `shape` becomes the convolution of the
/// copy.
PackedInput packed_input(ConvolutionShape& shape, ConvolutionDims (*strides)(const ConvolutionDims&),
                         std::size_t element_bytes);

/// A copy of the kernel that is not reversed. `shape` becomes the convolution of the copy.
PackedInput packed_kernel(ConvolutionShape& shape, ConvolutionDims (*strides)(const ConvolutionDims&),
                          std::size_t element_bytes);

}  // namespace tutti
