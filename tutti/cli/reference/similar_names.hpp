// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::cli {

/// The number of letters to change, add, leave out or exchange with the next one, to make one name the other.
std::size_t letters_apart(std::string_view a, std::string_view b);

/// At most three of `names` that somebody may have meant, the likeliest first: the nearest, if a third of the
/// letters is right, then those that are a part of `name` or have it as a part.
std::vector<std::string> similar_names(std::string_view name, const std::vector<std::string>& names);

}  // namespace tutti::cli
