// SPDX-License-Identifier: Apache-2.0
#include "tutti/mlir/text_place.hpp"

#include <algorithm>
#include <cstdint>

namespace tutti::mlir {
namespace {

std::string_view line_with(std::string_view text, std::size_t at) {
  const std::size_t begin = text.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
  return text.substr(begin, text.find('\n', begin) - begin);
}

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

/// Counts the characters of a line. A byte that belongs to none counts as one.
std::ptrdiff_t count_of_characters(std::string_view line) {
  std::ptrdiff_t count = 0;
  for (; !line.empty(); ++count) line.remove_prefix(std::max<std::size_t>(bytes_of_character(line), 1));
  return count;
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

Where place_in(std::string_view text, std::size_t at, const char* name) {
  const std::string_view before = text.substr(0, at);
  const std::size_t begin = before.rfind('\n') + 1;
  const auto line = std::ranges::count(before, '\n') + 1;
  const auto column = count_of_characters(before.substr(begin)) + 1;
  return {name, static_cast<int>(line), static_cast<int>(column)};
}

std::vector<std::string> marked_line(std::string_view text, std::size_t at) {
  constexpr std::size_t most_before = 60, most = 100;
  const std::size_t begin = text.substr(0, at).rfind('\n') + 1;
  const std::string_view line = line_with(text, at);
  // Only the characters near the byte are looked at: a constant may be a line of megabytes.
  const std::size_t first = at - begin > 8 * most ? at - begin - 8 * most : 0;
  const std::vector<std::string> before = characters_of(line.substr(first, at - begin - first));
  const std::vector<std::string> behind = characters_of(line.substr(at - begin, 8 * most));
  const std::size_t left_out = before.size() > most_before ? before.size() - most_before : 0;
  std::string shown;
  for (std::size_t i = left_out; i < before.size(); ++i) shown += before[i];
  const std::size_t column = before.size() - left_out;
  for (std::size_t i = 0; i < behind.size() && column + i < most; ++i) shown += behind[i];
  return {shown, std::string(column, ' ') + "^"};
}

}  // namespace tutti::mlir
