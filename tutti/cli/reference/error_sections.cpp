// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/reference/error_sections.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "tutti/base/require.hpp"
#include "tutti/cli/reference/cpp_text.hpp"
#include "tutti/cli/reference/texts.hpp"

namespace tutti::cli {

bool looks_like_code(std::string_view name) {
  return name.size() == 4 && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
         name.find_first_not_of("0123456789", 1) == name.npos;
}

std::string_view section_of_error(std::string_view code) {
  const std::string label =
      std::string(1, static_cast<char>(std::toupper(code[0]))) + std::string(code.substr(1));
  const std::string_view page = text_of_file("docs/errors.md");
  const std::size_t begin = page.find("\n## " + label + " ");
  if (begin == page.npos) {
    std::string list;
    for (const CodeInfo& info : all_codes())
      list += fmt::format("\n  {} {}: {}", info.label, info.name, info.meaning);
    fail(Code::usage, "there is no error {}; there are{}", label, list);
  }
  const std::size_t end = page.find("\n## ", begin + 1);
  return trimmed(page.substr(begin + 4, end == page.npos ? end : end - begin - 4));
}

}  // namespace tutti::cli
