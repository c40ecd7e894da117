// SPDX-License-Identifier: Apache-2.0
// The library throws; it neither prints nor ends the process. That is for programs: tutti/cli, examples.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

namespace tutti {
namespace {

/// True for a call in the line; its comment may name one.
bool prints_or_ends(const std::string& text) {
  const std::string line = text.substr(0, text.find("//"));
  static const std::regex call(
      R"(\b(v?f?printf|fmt::print|f?puts|f?putc|putchar|perror|abort|_?exit|_Exit|quick_exit|terminate|assert)\s*\()"
      R"(|\bstd::(cout|cerr|clog)\b)");
  return std::regex_search(line, call);
}

TEST(library, prints_for_debug_print_alone_and_never_ends_the_process) {
  std::vector<std::string> lines;
  for (const auto& file : std::filesystem::recursive_directory_iterator("tutti")) {
    const std::string ending = file.path().extension();
    if ((ending != ".cpp" && ending != ".hpp") || file.path().string().starts_with("tutti/cli/")) continue;
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);)
      if (prints_or_ends(line)) lines.push_back(file.path().string() + ": " + line);
  }
  // The line by which debug_print writes, unless MachineOptions::print takes it.
  EXPECT_EQ(lines, std::vector<std::string>{R"(tutti/run/code/call_log.cpp:   fmt::print("{}\n", line);)"});
}

TEST(library, is_searched_for_calls_that_print_or_end_the_process) {
  for (const char* line : {"std::exit(1);", "  abort();", "fprintf(stderr, \"\");", "std::cerr << x;",
                           "fmt::print(\"{}\", x);", "assert(x > 0);"})
    EXPECT_TRUE(prints_or_ends(line)) << line;
  for (const char* line : {"static_assert(x);", "std::snprintf(text, 8, \"\");", "exit_status(code)",
                           "int a = 0;  // before exit() destroys it"})
    EXPECT_FALSE(prints_or_ends(line)) << line;
}

}  // namespace
}  // namespace tutti
