// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::xla {

/// Writes a file that did not exist before, `prefix` and `suffix` around a random name. Returns its path;
/// none if the file cannot be written completely, and then there is no file.
std::optional<std::filesystem::path> write_new_file(const std::filesystem::path& folder,
                                                    const std::string& prefix, const std::string& suffix,
                                                    std::string_view content);

}  // namespace tutti::xla
