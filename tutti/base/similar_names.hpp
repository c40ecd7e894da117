// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// The number of letters to change, add, leave out or exchange with the next one, to make one name the other.
std::size_t letters_apart(std::string_view a, std::string_view b);

/// Up to three of `names` that somebody may have meant, the likeliest first. The nearest names come first,
/// if they are at most 1 + name.size() / 4 letters apart. Names that begin with `name`, or have it as a
/// word, come next. If none is found, names that are words of `name`.
std::vector<std::string> similar_names(std::string_view name, const std::vector<std::string>& names);

}  // namespace tutti
