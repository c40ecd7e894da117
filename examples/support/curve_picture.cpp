// SPDX-License-Identifier: Apache-2.0
#include "examples/support/curve_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "examples/support/text_file.hpp"

namespace examples {
namespace {

constexpr double left = 50, right = 520, top = 40, bottom = 320;
constexpr std::size_t most_points = 150;
constexpr std::array<const char*, 4> colours{"#888888", "#d03030", "#3060c0", "#308040"};
constexpr double characters_of_all = 60;  // of the bar that is the whole sum

// From values to places in the picture.
struct Scale {
  double steps, largest;

  double x(double step) const { return left + (right - left) * step / steps; }
  double y(double value) const { return bottom - (bottom - top) * value / largest; }
};

Scale scale_of(std::span<const Curve> curves) {
  Scale scale{1, 1};
  for (const Curve& curve : curves) {
    scale.steps = std::max(scale.steps, static_cast<double>(curve.values.size()));
    for (double value : curve.values) scale.largest = std::max(scale.largest, std::ceil(value));
  }
  return scale;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, text);
}

std::string grid(const Scale& scale) {
  std::string svg;
  for (int value = 0; value <= static_cast<int>(scale.largest); ++value)
    svg += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#ddd\"/>\n", left, scale.y(value), right) +
           text_at(left - 6, scale.y(value) + 4, "end", std::to_string(value));
  return svg + text_at(right, bottom + 20, "end", fmt::format("step {}", scale.steps));
}

std::string line(const Curve& curve, const Scale& scale, const char* colour) {
  const std::size_t n = curve.values.size(), together = (n + most_points - 1) / most_points;
  std::string points;
  double y = 0;
  for (std::size_t begin = 0; begin < n; begin += together) {
    std::span<const double> some = std::span(curve.values).subspan(begin, std::min(together, n - begin));
    auto count = static_cast<double>(some.size());
    y = scale.y(std::accumulate(some.begin(), some.end(), 0.0) / count);
    points += fmt::format("{:.1f},{:.1f} ", scale.x(static_cast<double>(begin) + (count + 1) / 2), y);
  }
  return fmt::format("<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"{}\" points=\"{}\"/>\n", colour,
                     points);
}

}  // namespace

void write_picture(const std::string& path, const std::string& title, std::span<const Curve> curves) {
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 540 350\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"540\" height=\"350\" fill=\"white\"/>\n";
  svg += text_at((left + right) / 2, top - 16, "middle", title);
  Scale scale = scale_of(curves);
  svg += grid(scale);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const char* colour = colours[i % colours.size()];
    svg += line(curves[i], scale, colour);
    svg += fmt::format("<g fill=\"{}\">{}</g>\n", colour,
                       text_at(right - 10, top + 20 + 18 * static_cast<double>(i), "end", curves[i].title));
  }
  write_text(path, ".svg", svg + "</svg>\n");
}

std::string bars(std::span<const std::int32_t> counts) {
  double sum = std::max(1.0, std::accumulate(counts.begin(), counts.end(), 0.0));
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    double part = counts[i] / sum;
    std::string bar;
    for (int k = 0; k < std::lround(part * characters_of_all); ++k) bar += "█";
    text += fmt::format("{:>3} {}{}{:.1f} %\n", i, bar, bar.empty() ? "" : " ", 100 * part);
  }
  return text;
}

}  // namespace examples
