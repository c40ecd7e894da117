// SPDX-License-Identifier: Apache-2.0
#include "tutti/mlir/text_place.hpp"

#include <algorithm>
#include <cstdint>

namespace tutti::mlir {
namespace {

constexpr std::size_t bytes_between_marks = 1024;

/// The bytes of the character of UTF-8 that `text` begins with; 0 if there is none.
std::size_t bytes_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc2 ? 2 : 0;
  if (length == 0 || byte(0) > 0xf4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return length;
}

bool is_ascii(std::string_view text) {
  std::uint8_t all = 0;  // without a branch: the compiler makes vectors of it
  for (const char c : text) all |= static_cast<std::uint8_t>(c);
  return all < 0x80;
}

/// The characters of a line, each as a terminal can show it.
std::vector<std::string> characters_of(std::string_view line) {
  std::vector<std::string> characters;
  while (!line.empty()) {
    const std::size_t length = bytes_of_character(line);
    const bool is_control = length == 1 && (static_cast<std::uint8_t>(line[0]) < ' ' || line[0] == 0x7f);
    characters.emplace_back(length == 0 ? "?" : is_control ? " " : std::string(line.substr(0, length)));
    line.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return characters;
}

}  // namespace

TextPlaces::TextPlaces(std::string_view text) {
  marks_.reserve(text.size() / bytes_between_marks + 1);
  Mark mark{text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0};
  marks_.push_back(mark);
  for (std::size_t to = bytes_between_marks; to <= text.size(); to += bytes_between_marks)
    marks_.push_back(mark = moved(text, mark, to));
}

TextPlaces::Mark TextPlaces::moved(std::string_view text, Mark mark, std::size_t to) {
  if (mark.byte >= to) return mark;
  const std::string_view between = text.substr(mark.byte, to - mark.byte);
  if (is_ascii(between)) {
    const std::size_t last = between.rfind('\n');
    mark.line += static_cast<int>(std::ranges::count(between, '\n'));
    mark.column = static_cast<int>(last == std::string_view::npos ? mark.column + between.size()
                                                                  : between.size() - last);
    mark.byte = to;
    return mark;
  }
  while (mark.byte < to) {
    const std::string_view rest = text.substr(mark.byte);
    mark.line += rest[0] == '\n' ? 1 : 0;
    mark.column = rest[0] == '\n' ? 1 : mark.column + 1;
    mark.byte += std::max<std::size_t>(bytes_of_character(rest), 1);  // a byte of no character counts as one
  }
  return mark;
}

Where TextPlaces::place(std::string_view text, std::size_t at, const char* name) const {
  std::size_t before = std::min(at / bytes_between_marks, marks_.size() - 1);
  if (before > 0 && marks_[before].byte > at) --before;  // a character lies across the boundary
  const Mark mark = moved(text, marks_[before], at);
  return {name, mark.line, mark.column};
}

std::vector<std::string> marked_line(std::string_view text, std::size_t at) {
  constexpr std::size_t most_before = 60, most = 100;
  // Only the characters near the byte are looked at: a constant may be a line of megabytes.
  const std::size_t first = at > 8 * most ? at - 8 * most : 0;
  std::string_view left = text.substr(first, at - first), right = text.substr(at, 8 * most);
  left.remove_prefix(left.rfind('\n') + 1);  // npos + 1 is 0
  if (left.starts_with(byte_order_mark)) left.remove_prefix(byte_order_mark.size());
  right = right.substr(0, right.find('\n'));
  const std::vector<std::string> before = characters_of(left);
  const std::vector<std::string> behind = characters_of(right);
  const std::size_t left_out = before.size() > most_before ? before.size() - most_before : 0;
  std::string shown;
  for (std::size_t i = left_out; i < before.size(); ++i) shown += before[i];
  const std::size_t column = before.size() - left_out;
  for (std::size_t i = 0; i < behind.size() && column + i < most; ++i) shown += behind[i];
  return {shown, std::string(column, ' ') + "^"};
}

}  // namespace tutti::mlir
