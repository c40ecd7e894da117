// SPDX-License-Identifier: Apache-2.0
// Fields of numbers as pictures: dark for 0, light for 1 and more.
#pragma once

#include <span>
#include <string>

#include "tutti/tensor/tensor.hpp"

namespace examples {

struct Field {
  std::string title;
  tutti::Tensor values;  // f32[rows, columns]
};

/// The fields side by side as text of 16 lines, a character for the mean of the numbers that it stands for.
std::string drawn(std::span<const Field> fields);

/// The fields side by side as an SVG file. Throws R001 if it cannot be written.
void write_picture(const std::string& path, std::span<const Field> fields);

}  // namespace examples
