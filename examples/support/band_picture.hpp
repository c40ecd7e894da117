// SPDX-License-Identifier: Apache-2.0
// A line with a band around it, and points.
#pragma once

#include <span>
#include <string>

namespace examples {

struct Band {
  std::span<const double> x, middle, half_width;  // ascending x
  std::span<const double> truth;                  // another line, dashed
  std::span<const double> points_x, points_y;
};

/// Draws them into an SVG file. Throws R001 if it cannot be written.
void write_picture(const std::string& path, const std::string& title, const Band& band);

}  // namespace examples
