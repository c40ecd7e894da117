// SPDX-License-Identifier: Apache-2.0
// Runs the program of docs/xla.md.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "tests/xla/real_plugin.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array normalised(const Array& x) { return x / sqrt(psum(reduce_sum(x * x), "i")); }

Tensor by_the_page(const Array& x) {
  // As the page has it.
  // clang-format off
Machine machine = open_xla(Mesh({{"i", 4}}));   // finds the plugin; {.plugin = "FILE"} names it
auto run = machine.compile(shard_map(normalised, {.mesh = machine.mesh(), .in = P("i"), .out = P("i")}), x);
Array y = run(x);                               // lies on the devices; y.tensor() copies it to the host
  // clang-format on
  return y.tensor();
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The lines of C++ in docs/xla.md.
std::vector<std::string> shown() {
  std::vector<std::string> code;
  bool in_code = false;
  for (const std::string& line : lines_of("docs/xla.md")) {
    if (line.starts_with("```")) in_code = line == "```cpp";
    else if (in_code) code.push_back(line);
  }
  return code;
}

TEST(xla_page, shows_the_program_of_this_test) {
  const std::vector<std::string> self = lines_of("tests/xla/page_test.cpp"), code = shown();
  for (const std::string& line : code) EXPECT_EQ(std::ranges::count(self, line), 1) << line;
  EXPECT_EQ(code.size(), 3U);
}

using xla_page_on_cpus = xla::RealXla;

TEST_F(xla_page_on_cpus, gives_the_numbers_of_the_readme) {
  const Array x = Tensor({4}, {2.0F, 4.0F, 5.0F, 6.0F});
  EXPECT_EQ(to_string(by_the_page(x)), "[0.222222 0.444444 0.555556 0.666667]");
}

}  // namespace
}  // namespace tutti
