// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// The number of letters to change, add, leave out or exchange with the next one, to make one name the other.
std::size_t letters_apart(std::string_view a, std::string_view b);

/// At most three of `names` that somebody may have meant, the likeliest first: the nearest, if three quarters
/// of the letters are right, then those that have `name` as a word; if there are none, the words of `name`.
std::vector<std::string> similar_names(std::string_view name, const std::vector<std::string>& names);

}  // namespace tutti
