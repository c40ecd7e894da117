// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/words/machine.hpp"
#include "tutti/base/inside.hpp"

#include <string_view>

#include "tutti/base/require.hpp"

namespace tutti::cli {

std::optional<std::string> plugin_of_machine(const std::string& text) {
  constexpr std::string_view prefix = "xla:";
  if (text == "local") return std::nullopt;
  if (text == "xla") return "";
  require(
      text.starts_with(prefix) && text.size() > prefix.size(), Code::usage,
      "--machine {}: there is no such machine; say local, xla, or xla:FILE with the file of a PJRT plugin",
      text);
  return text.substr(prefix.size());
}

}  // namespace tutti::cli
