// SPDX-License-Identifier: Apache-2.0
// The dims of the arrays of a convolution, by their roles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tutti/types/shape.hpp"

namespace tutti::ops {

/// The dims of one array. `outer`: images of the input and the result, output features of the kernel.
/// `feature`: features of the input and the result, input features of the kernel.
struct ConvolutionRoles {
  Dim outer, feature;
  Dims spatial;

  bool operator==(const ConvolutionRoles&) const = default;
  /// The same array where `outer` and `feature` have changed places.
  ConvolutionRoles swapped() const { return {feature, outer, spatial}; }
};

/// The dims of all three arrays of a convolution.
struct ConvolutionNumbers {
  ConvolutionRoles input, kernel, result;

  bool operator==(const ConvolutionNumbers&) const = default;
};

/// The extent of `size` elements that stand `dilation` apart.
constexpr std::int64_t dilated(std::int64_t size, std::int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

/// As StableHLO writes them: "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]".
std::string to_string(const ConvolutionNumbers& numbers);
/// As users write them: "N01C,01IO->N01C".
std::string layout_of(const ConvolutionNumbers& numbers);
/// None if the text is no such list.
std::optional<ConvolutionNumbers> convolution_numbers(std::string_view text);

}  // namespace tutti::ops
