// SPDX-License-Identifier: Apache-2.0
// Fields of numbers: their distance, and pictures of them, dark for 0, light for 1 and more.
#pragma once

#include <span>
#include <string>

#include "tutti/ir/array.hpp"
#include "tutti/tensor/tensor.hpp"

namespace examples {

/// The distance of two f32 fields, as a part of the second one's size: 1 for a field of zeros.
double error(const tutti::Array& found, const tutti::Array& expected);

struct Field {
  std::string title;
  tutti::Tensor values;  // f32[rows, columns]
};

/// The fields side by side as text of 16 lines, a character for the mean of the numbers that it stands for.
std::string drawn(std::span<const Field> fields);

/// The fields side by side as an SVG file. Throws R001 if it cannot be written.
void write_picture(const std::string& path, std::span<const Field> fields);

}  // namespace examples
