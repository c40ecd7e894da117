// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/base/where.hpp"

namespace tutti::mlir {

/// U+FEFF, with which some editors begin a text. It is no character of the first line.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Finds places in one text in constant time: notes the line and column of about every 1024th byte. Columns
/// count characters of UTF-8; a tab is one.
class TextPlaces {
 public:
  explicit TextPlaces(std::string_view text);
  /// The place of a byte. `text` is equal to the one that this was made of; `name` is its name and lives as
  /// long as the process.
  Where place(std::string_view text, std::size_t at, const char* name) const;

 private:
  /// Where a character begins.
  struct Mark {
    std::size_t byte = 0;
    int line = 1, column = 1;
  };
  /// The first character that begins at `to` or behind it.
  static Mark moved(std::string_view text, Mark mark, std::size_t to);

  std::vector<Mark> marks_;
};

/// Two lines for a message: the line that has the byte, and a caret below it. Long lines are cut around the
/// byte; control characters and bytes that are not UTF-8 become blanks and question marks.
std::vector<std::string> marked_line(std::string_view text, std::size_t at);

}  // namespace tutti::mlir
