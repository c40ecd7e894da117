// SPDX-License-Identifier: Apache-2.0
#include "examples/support/field_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "examples/support/text_file.hpp"

namespace examples {

using namespace tutti;

namespace {

constexpr std::int64_t lines = 16, characters = 32;  // of a field; a character is twice as high as wide
constexpr std::string_view gap = "   ";
constexpr std::string_view shades = " .:-=+*#%@";

constexpr int levels = 16;
constexpr int side = 200, margin = 20, above = 30;  // of a field in the picture

float at(const Tensor& field, std::int64_t row, std::int64_t column) {
  return static_cast<float>(field.at(row * field.shape()[1] + column));
}

// The mean of the numbers behind one character of the text.
double mean_behind(const Tensor& field, std::int64_t line, std::int64_t character) {
  std::int64_t rows = field.shape()[0], columns = field.shape()[1];
  std::int64_t top = line * rows / lines, bottom = std::max(top + 1, (line + 1) * rows / lines);
  std::int64_t left = character * columns / characters;
  std::int64_t right = std::max(left + 1, (character + 1) * columns / characters);
  double sum = 0;
  for (std::int64_t row = top; row < bottom; ++row)
    for (std::int64_t column = left; column < right; ++column) sum += at(field, row, column);
  return sum / static_cast<double>((bottom - top) * (right - left));
}

char shade_of(double value) {
  double last = static_cast<double>(shades.size()) - 1;
  return shades[static_cast<std::size_t>(std::clamp(value * last + 0.5, 0.0, last))];
}

// From black by red and yellow to white.
std::string colour_of(int level) {
  int heat = level * 3 * 255 / levels;
  auto part = [&](int from) { return std::clamp(heat - from, 0, 255); };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(255), part(510));
}

// The points of at least this value: runs "M<column> <row>h<length>", drawn as lines as wide as a row.
std::string runs_from(const Tensor& field, float value) {
  std::string path;
  std::int64_t columns = field.shape()[1];
  for (std::int64_t row = 0; row < field.shape()[0]; ++row)
    for (std::int64_t begin = 0, end = 0; begin < columns; begin = end + 1) {
      for (end = begin; end < columns && at(field, row, end) >= value;) ++end;
      if (end > begin) path += fmt::format("M{} {}h{}", begin, row, end - begin);
    }
  return path;
}

// Each level is drawn over the ones below it.
std::string svg_of(const Tensor& field) {
  std::string svg = fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", field.shape()[1],
                                field.shape()[0], colour_of(0));
  for (int level = 1; level <= levels; ++level)
    if (std::string runs = runs_from(field, static_cast<float>(level) / levels); !runs.empty())
      svg += fmt::format("<path transform=\"translate(0 .5)\" stroke=\"{}\" d=\"{}\"/>\n", colour_of(level),
                         runs);
  return svg;
}

}  // namespace

double error(const Array& found, const Array& expected) {
  const std::vector<float> a = found.values<float>(), b = expected.values<float>();
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart += std::pow(a[i] - b[i], 2);
    size += std::pow(b[i], 2);
  }
  return std::sqrt(apart / size);
}

std::string drawn(std::span<const Field> fields) {
  std::string text, line;
  auto end_line = [&] {
    text += line.erase(line.find_last_not_of(' ') + 1) + '\n';
    line.clear();
  };
  for (const Field& field : fields) line += fmt::format("{:<{}}{}", field.title, characters, gap);
  end_line();
  for (std::int64_t row = 0; row < lines; ++row) {
    for (const Field& field : fields) {
      for (std::int64_t i = 0; i < characters; ++i) line += shade_of(mean_behind(field.values, row, i));
      line += gap;
    }
    end_line();
  }
  return text;
}

void write_picture(const std::string& path, std::span<const Field> fields) {
  int width = margin + static_cast<int>(fields.size()) * (side + margin), height = above + side + margin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  int left = margin;
  for (const Field& field : fields) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", left + side / 2,
                       above - 10, field.title);
    svg += fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" "
                       "shape-rendering=\"crispEdges\">\n{}</svg>\n",
                       left, above, side, side, field.values.shape()[1], field.values.shape()[0],
                       svg_of(field.values));
    left += side + margin;
  }
  write_text(path, ".svg", svg + "</svg>\n");
}

}  // namespace examples
