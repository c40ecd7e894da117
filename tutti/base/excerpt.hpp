// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti {

/// The beginning of a text from a file, for a message: at most 100 characters, then "..".
/// Control characters and bytes that are not UTF-8 become \x1b: a message cannot steer a terminal.
std::string excerpt(std::string_view text);
/// The bytes of the first character of a text; 0 for a control character and for bytes that are not UTF-8.
/// `text` is not empty.
std::size_t shown_bytes(std::string_view text);

}  // namespace tutti
