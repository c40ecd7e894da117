// SPDX-License-Identifier: Apache-2.0
// Convolutions; programs show the ops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/ir/array.hpp"
#include "tutti/ops/windows/padding.hpp"

namespace tutti {

/// How a kernel moves over an input. Lists have one number per spatial dim, or none: 1 everywhere.
struct ConvolutionOptions {
  std::vector<std::int64_t> strides = {};
  WindowPadding padding = WindowPadding::valid;
  /// A dilation of d puts d - 1 zeros between neighbours.
  std::vector<std::int64_t> input_dilation = {}, kernel_dilation = {};
  /// Groups of features that do not see each other: as many as features, and each is convolved by itself.
  std::int64_t feature_groups = 1, batch_groups = 1;
  /// The dims of input, kernel and result: "NCHW,OIHW->NCHW". N: images, C: their features, I and O: input
  /// and output features of the kernel; other letters: spatial dims. Empty: features last, as in Flax, which
  /// is the fastest: "NHWC,HWIO->NHWC", "NWC,WIO->NWC", "NDHWC,DHWIO->NDHWC". (jax.lax has features first.)
  std::string layout = {};
};
/// Sums of products of a kernel with the windows of an input; the kernel is not reversed.
/// x: [n, h, w, c], kernel: [kh, kw, c / feature_groups, o] -> [n, h', w', o], where h' is
/// (low + h + high - kh) / stride + 1, or 0 if kh is larger; any number of spatial dims, in any layout.
/// Throws T005, T006, T007 (convolution_c1 to _c27), and T005 for a layout that does not fit.
/// Source: jax.lax.conv_general_dilated.
Array convolution(const Operand& x, const Operand& kernel, const ConvolutionOptions& options = {});

/// How conv_transpose spreads an input. Lists have one number per spatial dim, or none: 1 everywhere.
struct ConvTransposeOptions {
  std::vector<std::int64_t> strides = {};
  /// same: results have size * stride elements; valid: all that the kernel reaches. Pairs pad the input after
  /// it was spread.
  WindowPadding padding = WindowPadding::same;
  std::vector<std::int64_t> kernel_dilation = {};
  std::string layout = {};  // as in ConvolutionOptions
  /// Reverses the kernel and swaps its features: then it is the transpose of convolution with that kernel.
  bool transpose_kernel = false;
};
/// A convolution of the input with `stride - 1` zeros between its elements, which makes images larger.
/// Throws as convolution.
/// Source: jax.lax.conv_transpose.
Array conv_transpose(const Operand& x, const Operand& kernel, const ConvTransposeOptions& options = {});

/// The part of a convolution of vectors: every overlap; as many as the longer vector has, from the middle;
/// whole overlaps only.
enum class ConvolveMode { full, same, valid };
/// The convolution of two vectors, as of two polynomials: sum over j of a[j] v[i - j].
/// a: [m], v: [n] -> [m + n - 1] (full), [max(m, n)] (same), [max(m, n) - min(m, n) + 1] (valid).
/// Throws T005 unless both are vectors with elements, T007 if dtypes differ.
/// Source: jax.numpy.convolve.
Array convolve(const Operand& a, const Operand& v, ConvolveMode mode = ConvolveMode::full);

}  // namespace tutti
