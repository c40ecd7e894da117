// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace tutti {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// The number of bytes that the first one announces in UTF-8; 0 if no character begins with it.
std::size_t announced_bytes(unsigned first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

}  // namespace

std::string excerpt(std::string_view text) {
  constexpr int most_characters = 100;
  std::string shown;
  for (int i = 0; i < most_characters && !text.empty(); ++i) {
    const std::size_t bytes = shown_bytes(text);
    if (bytes == 0) shown += fmt::format("\\x{:02x}", byte_at(text, 0));
    else shown += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return text.empty() ? shown : shown + "..";
}

std::size_t shown_bytes(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  const std::size_t bytes = announced_bytes(first);
  if (bytes == 1) return first >= 0x20 && first != 0x7F ? 1 : 0;
  if (bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  const bool is_control = first == 0xC2 && byte_at(text, 1) < 0xA0;  // U+0080 to U+009F
  return is_control ? 0 : bytes;
}

}  // namespace tutti
