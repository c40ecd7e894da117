// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/windows/convolution_roles.hpp"

namespace tutti::ops {

/// How the kernel moves along one spatial dim. A dilation of d puts d - 1 zeros between neighbours; negative
/// low and high cut elements of the input.
struct ConvolutionWindow {
  std::int64_t stride = 1, low = 0, high = 0, input_dilation = 1, kernel_dilation = 1;
  bool reversed = false;  // the kernel is read backwards

  bool operator==(const ConvolutionWindow&) const = default;
};

/// Sums of products of a kernel with the windows of an input.
/// input: batch, features, spatial dims; kernel: output features, input features / groups, spatial dims ->
/// batch / batch groups, output features, spatial dims; each in any order. Bilinear: U times R gives U.
/// Any dtype but bool; sums of f16 and bf16 are taken in f32 and rounded once.
/// Cost: 2 operations for each element of the result, of the kernel's window, and each input feature. f32,
/// f16, bf16 by oneDNN, fastest with features last; others by products of matrices.
/// Source: StableHLO convolution; jax.lax.conv_general_dilated.
struct Convolution {
  static constexpr std::string_view name = "convolution";
  static constexpr About about{"Sums of products of a kernel with the windows of an input.",
                               "convolution, conv_transpose, convolve"};

  ConvolutionNumbers dims;
  std::vector<ConvolutionWindow> windows;  // one per spatial dim
  std::int64_t feature_groups = 1, batch_groups = 1;

  Mixing mixing() const { return Mixing::bilinear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Convolution&) const = default;
};
static_assert(complete<Convolution>());

}  // namespace tutti::ops
