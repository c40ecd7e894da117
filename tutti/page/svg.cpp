// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/svg.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tutti/base/excerpt.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace tutti::internal {

std::string escaped(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t bytes = shown_bytes(text);
    if (text[0] == '<') safe += "&lt;";
    else if (text[0] == '>') safe += "&gt;";
    else if (text[0] == '&') safe += "&amp;";
    else if (bytes == 0) safe += '?';
    else safe += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return safe;
}

std::string text_at(double x, double y, std::string_view text, std::string_view more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, more, escaped(text));
}

// A text that would be wider than `width` is squeezed to it; what lies under the pointer is shown in full.
std::string text_within(double width, double x, double y, std::string_view text, std::string_view more) {
  constexpr double of_a_letter = 7, least = 4.5;  // widths in sans-serif of size 12
  const auto most = static_cast<std::size_t>(width / least);
  if (static_cast<double>(text.size()) * of_a_letter <= width) return text_at(x, y, text, more);
  const std::string shown =
      text.size() <= most ? std::string(text) : fmt::format("{}..", text.substr(0, most - 2));
  return fmt::format("<g><title>{}</title>{}</g>\n", escaped(text),
                     text_at(x, y, shown,
                             fmt::format("{} textLength=\"{:.0f}\" lengthAdjust=\"spacingAndGlyphs\"", more,
                                         width)));
}

std::string rectangle(const Area& area, std::string_view look) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", area.left,
                     area.top, area.width, area.height, look);
}

// Neighbours in number are neighbours in hue; every other one is darker.
std::string colour_of(int device, int devices) {
  const double hue = 360.0 * device / devices, light = device % 2 == 0 ? 0.78 : 0.66;
  auto part = [&](double from) {  // CSS Color 4, 7.1: HSL to sRGB, at 65 % saturation
    const double k = std::fmod(from + hue / 30, 12.0);
    const double value =
        light - 0.65 * std::min(light, 1 - light) * std::clamp(std::min(k - 3, 9 - k), -1.0, 1.0);
    return static_cast<int>(std::lround(255 * value));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(8), part(4));
}

void write_svg(const std::string& path, const std::string& svg) {
  write_whole(path, ".svg", {}, [&](std::FILE* file) {
    require_done(std::fwrite(svg.data(), 1, svg.size(), file) == svg.size(), "cannot be written");
  });
}

}  // namespace tutti::internal
