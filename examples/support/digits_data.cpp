// SPDX-License-Identifier: Apache-2.0
#include "examples/support/digits_data.hpp"

#include <fmt/core.h>

#include <charconv>

#include "examples/support/text_file.hpp"
#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"

namespace digits {
namespace {

using namespace tutti;

constexpr std::size_t pixels_per_picture = 64;
constexpr int brightest = 16;

[[noreturn]] void fail_at(const std::string& path, std::size_t line, const std::string& what) {
  ops::throw_error(
      Code::file, {},
      fmt::format("{}:{}: {}; a line is 64 pixels from 0 to 16 and a label from 0 to 9, with commas between",
                  path, line, what));
}

void read_line(const std::string& path, std::size_t number, std::string_view line, Data& data) {
  std::size_t count = 0;
  while (!line.empty()) {
    std::string_view item = line.substr(0, line.find(','));
    line.remove_prefix(std::min(line.size(), item.size() + 1));
    int value = 0;
    auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), value);
    bool is_label = count == pixels_per_picture;
    if (error != std::errc{} || end != item.data() + item.size() || value < 0 ||
        value > (is_label ? 9 : brightest))
      fail_at(path, number, fmt::format("'{}' is not {}", excerpt(item), is_label ? "a label" : "a pixel"));
    if (is_label) data.labels.push_back(value);
    else data.pixels.push_back(static_cast<float>(value) / brightest);
    if (++count > pixels_per_picture + 1) fail_at(path, number, "too many values");
  }
  if (count != pixels_per_picture + 1) fail_at(path, number, fmt::format("{} values", count));
}

}  // namespace

Tensor Data::images_of(std::span<const std::size_t> rows) const {
  std::vector<float> values;
  for (std::size_t row : rows) {
    auto first = pixels.begin() + static_cast<std::ptrdiff_t>(row * pixels_per_picture);
    values.insert(values.end(), first, first + pixels_per_picture);
  }
  return {Shape{static_cast<std::int64_t>(rows.size()), pixels_per_picture}, values};
}

Tensor Data::labels_of(std::span<const std::size_t> rows) const {
  std::vector<std::int32_t> values;
  for (std::size_t row : rows) values.push_back(labels[row]);
  return {Shape{static_cast<std::int64_t>(rows.size())}, values};
}

Data read_data(const std::string& path) {
  std::string text = examples::read_text(path, "give the path of digits.csv.gz with --data");
  Data data;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    read_line(path, ++number, line, data);
  }
  ops::require(data.size() > 0, Code::file, "{}: no digits in it; get a fresh copy", path);
  return data;
}

Tensor moved(const Tensor& images, std::int64_t down, std::int64_t right) {
  constexpr std::int64_t side = 8;
  const std::span<const float> from = images.as<float>();
  std::vector<float> to(from.size());
  for (std::int64_t i = 0; i < std::ssize(to); ++i) {
    const std::int64_t row = i / side % side - down, column = i % side - right;
    const bool is_inside = row >= 0 && row < side && column >= 0 && column < side;
    if (is_inside) to[static_cast<std::size_t>(i)] = from[static_cast<std::size_t>(i - down * side - right)];
  }
  return {images.shape(), to};
}

Split split(const Data& data) {
  Split split;
  for (std::size_t row = 0; row < data.size(); ++row)
    (row % 5 == 0 ? split.held_out : split.training).push_back(row);
  return split;
}

std::string drawn(const Data& data, std::span<const std::size_t> rows,
                  std::span<const std::int32_t> predicted) {
  static constexpr const char* shades[] = {" ", "░", "▒", "▓", "█"};
  std::string text;
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t row : rows) {
      for (std::size_t x = 0; x < 8; ++x) {
        const char* shade =
            shades[static_cast<std::size_t>(data.pixels[row * pixels_per_picture + y * 8 + x] * 4)];
        text += std::string(shade) + shade;
      }
      text += "   ";
    }
    text += "\n";
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += fmt::format("{:<19}", fmt::format("{}, taken for {}", data.labels[rows[i]], predicted[i]));
  return text + "\n";
}

}  // namespace digits
