// SPDX-License-Identifier: Apache-2.0
// The texts that the tool carries: headers for users and pages of docs/, as they were when it was built.
#pragma once

#include <span>
#include <string_view>

namespace tutti::cli {

/// A file of the repository.
struct Text {
  std::string_view path, text;  // "tutti/ops/collectives/all_reduce.hpp"
};

/// Headers in order of path, then pages. cmake/reference_texts.cmake writes the source of this function.
std::span<const Text> all_texts();

/// The text of one file. It must be there.
std::string_view text_of_file(std::string_view path);

}  // namespace tutti::cli
