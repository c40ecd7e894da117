// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tutti/tensor/tensor.hpp"

namespace digits {

/// Handwritten digits: pictures of 8x8 pixels in [0, 1], and what they show.
struct Data {
  std::vector<float> pixels;  // 64 per picture
  std::vector<std::int32_t> labels;

  std::size_t size() const { return labels.size(); }
  tutti::Tensor images_of(std::span<const std::size_t> rows) const;  // f32[n, 64]
  tutti::Tensor labels_of(std::span<const std::size_t> rows) const;  // i32[n]
};

/// Reads lines of 64 pixels from 0 to 16 and a label from 0 to 9, compressed with gzip or not.
/// Throws R001 with the file, the line and what is wrong with it.
Data read_data(const std::string& path);

/// The pictures of f32[n, 64] moved by so many pixels; zeros come in at the sides.
tutti::Tensor moved(const tutti::Tensor& images, std::int64_t down, std::int64_t right);

/// Row numbers for training and for testing: every fifth row, whose number divides by 5, is held out.
struct Split {
  std::vector<std::size_t> training, held_out;
};
Split split(const Data& data);

/// Draws pictures side by side with text, two rows of pixels a line, for a terminal.
std::string drawn(const Data& data, std::span<const std::size_t> rows,
                  std::span<const std::int32_t> predicted);

}  // namespace digits
