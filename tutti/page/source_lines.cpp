// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/source_lines.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace tutti {
namespace {

constexpr int around = 3;                         // lines before and after a wanted one
constexpr std::size_t longest_line = 300;         // characters; the rest is cut off
constexpr std::uintmax_t largest_file = 8 << 20;  // bytes
constexpr std::array<std::string_view, 14> endings{".cpp", ".hpp", ".cc",  ".hh",  ".cxx", ".hxx",  ".c",
                                                   ".h",   ".cu",  ".cuh", ".inl", ".ipp", ".mlir", ".py"};

bool may_be_shown(const std::string& file) {
  std::error_code failed;
  return std::ranges::any_of(endings, [&](std::string_view ending) { return file.ends_with(ending); }) &&
         std::filesystem::is_regular_file(file, failed) &&
         std::filesystem::file_size(file, failed) <= largest_file && !failed;
}

}  // namespace

std::map<int, std::string> source_lines(const std::string& file, const std::set<int>& wanted) {
  std::map<int, std::string> lines;
  if (wanted.empty() || !may_be_shown(file)) return lines;
  std::ifstream in(file);
  std::string text;
  for (int line = 1; line <= *wanted.rbegin() + around && std::getline(in, text); ++line) {
    const auto next = wanted.lower_bound(line - around);
    if (next == wanted.end() || *next > line + around) continue;
    lines[line] = text.substr(0, longest_line);
  }
  return lines;
}

}  // namespace tutti
