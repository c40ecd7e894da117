// SPDX-License-Identifier: Apache-2.0
#include "examples/support/band_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "examples/support/text_file.hpp"

namespace examples {
namespace {

constexpr double left = 40, right = 700, top = 36, bottom = 320;

// From values to places in the picture.
struct Frame {
  double x_begin, x_end, y_begin = std::numeric_limits<double>::infinity(), y_end = -y_begin;

  void include(double y) {
    y_begin = std::min(y_begin, y);
    y_end = std::max(y_end, y);
  }
  std::string place(double x, double y) const {
    return fmt::format("{:.1f},{:.1f}", left + (right - left) * (x - x_begin) / (x_end - x_begin),
                       bottom - (bottom - top) * (y - y_begin) / (y_end - y_begin));
  }
};

Frame frame_of(const Band& band) {
  Frame frame{band.x.front(), band.x.back()};
  for (std::size_t i = 0; i < band.x.size(); ++i) {
    frame.include(band.middle[i] - band.half_width[i]);
    frame.include(band.middle[i] + band.half_width[i]);
  }
  for (const double y : band.points_y) frame.include(y);
  return frame;
}

std::string line(const Frame& frame, std::span<const double> x, std::span<const double> y,
                 const char* style) {
  std::string places;
  for (std::size_t i = 0; i < x.size(); ++i) places += frame.place(x[i], y[i]) + " ";
  return fmt::format("<polyline fill=\"none\" {} points=\"{}\"/>\n", style, places);
}

std::string area(const Frame& frame, const Band& band) {
  std::string places;
  const std::size_t n = band.x.size();
  for (std::size_t i = 0; i < n; ++i)
    places += frame.place(band.x[i], band.middle[i] + band.half_width[i]) + " ";
  for (std::size_t i = n; i-- > 0;)
    places += frame.place(band.x[i], band.middle[i] - band.half_width[i]) + " ";
  return fmt::format("<polygon fill=\"#3060c0\" fill-opacity=\"0.2\" points=\"{}\"/>\n", places);
}

std::string dots(const Frame& frame, const Band& band) {
  std::string all;
  for (std::size_t i = 0; i < band.points_x.size(); ++i) {
    const std::string place = frame.place(band.points_x[i], band.points_y[i]);
    all += fmt::format("M{}h0", place);
  }
  return fmt::format("<path d=\"{}\" stroke=\"#d03030\" stroke-opacity=\"0.5\" stroke-width=\"3\" "
                     "stroke-linecap=\"round\"/>\n",
                     all);
}

}  // namespace

void write_picture(const std::string& path, const std::string& title, const Band& band) {
  const Frame frame = frame_of(band);
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 350\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"720\" height=\"350\" fill=\"white\"/>\n";
  svg += fmt::format("<text x=\"{}\" y=\"20\" text-anchor=\"middle\">{}</text>\n", (left + right) / 2, title);
  svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", left, bottom + 20, frame.x_begin);
  svg +=
      fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", right, bottom + 20, frame.x_end);
  svg += dots(frame, band) + area(frame, band);
  svg += line(frame, band.x, band.truth, "stroke=\"#308040\" stroke-dasharray=\"5 4\"");
  svg += line(frame, band.x, band.middle, "stroke=\"#3060c0\" stroke-width=\"1.5\"");
  write_text(path, ".svg", svg + "</svg>\n");
}

}  // namespace examples
