// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/reference/texts.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti::cli {

std::string_view text_of_file(std::string_view path) {
  const auto found = std::ranges::find(all_texts(), path, &Text::path);
  ensure(found != all_texts().end(), "the tool carries no {}", path);
  return found->text;
}

}  // namespace tutti::cli
