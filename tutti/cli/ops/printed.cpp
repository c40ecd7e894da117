// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/ops/printed.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::cli {
namespace {

constexpr std::size_t label_width = 14, shown_lines = 20;

}  // namespace

std::string wrapped(std::string_view line, std::size_t indent) {
  std::string text;
  std::size_t room = line_length;
  while (line.size() > room) {
    std::size_t at = line.rfind(' ', room);
    if (at == line.npos || line.find_first_not_of(' ') > at) break;
    text += fmt::format("{}\n{:{}}", line.substr(0, at), "", indent);
    line.remove_prefix(at + 1);
    room = line_length - indent;
  }
  return text + std::string(line);
}

void print_labelled(std::string_view label, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    fmt::print("{}\n",
               wrapped(fmt::format("{:<{}}{}", i == 0 ? label : "", label_width, lines[i]), label_width));
}

void print_program(std::string_view title, std::string_view program) {
  fmt::print("\n{}\n", title);
  std::size_t lines = 0, left = 0;
  for (std::size_t begin = 0, end; begin < program.size(); begin = end + 1) {
    end = std::min(program.find('\n', begin), program.size());
    if (++lines > shown_lines) ++left;
    else fmt::print("{}\n", wrapped(fmt::format("  {}", program.substr(begin, end - begin)), 6));
  }
  if (left > 0) fmt::print("  .. and {} more lines (--json has them)\n", left);
}

std::string joined(const std::vector<std::string>& names, std::string_view none) {
  return names.empty() ? std::string(none) : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace tutti::cli
