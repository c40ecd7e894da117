// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/base/where.hpp"

namespace tutti::mlir {

/// The place of a byte of a text. Columns count characters of UTF-8; a tab is one. `name` is that of the text
/// and lives as long as the process.
Where place_in(std::string_view text, std::size_t at, const char* name);

/// Two lines for a message: the line that has the byte, and a caret below it. Long lines are cut around the
/// byte; control characters and bytes that are not UTF-8 become blanks and question marks.
std::vector<std::string> marked_line(std::string_view text, std::size_t at);

}  // namespace tutti::mlir
