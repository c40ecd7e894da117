// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tutti::cli {

/// True for a name in the form of an error's code: a letter and three digits.
bool looks_like_code(std::string_view name);

/// The section of a code in docs/errors.md, from its heading on: "T004 state".
/// Throws R002 for an unknown code, with the list.
std::string_view section_of_error(std::string_view code);

}  // namespace tutti::cli
