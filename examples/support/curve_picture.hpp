// SPDX-License-Identifier: Apache-2.0
// Numbers as lines of a picture, and as bars of a text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace examples {

struct Curve {
  std::string title;
  std::vector<double> values;  // not negative, one per step
};

/// The curves over their steps as an SVG file, means of neighbouring steps where there are many. Throws R001
/// if it cannot be written.
void write_picture(const std::string& path, const std::string& title, std::span<const Curve> curves);

/// A line for each count: its number, a bar, and its part of the sum.
std::string bars(std::span<const std::int32_t> counts);

}  // namespace examples
