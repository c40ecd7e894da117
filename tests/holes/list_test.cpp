// SPDX-License-Identifier: Apache-2.0
// Every hole of the list is tested here or explained in README.md, once.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace tutti {
namespace {

constexpr int holes = 111;

// Where each hole is: the files that test it, and a line of the README for each row that explains it.
using Places = std::map<std::string, std::multiset<std::string>>;

void collect(const std::filesystem::path& path, const std::regex& number, Places& places) {
  std::ifstream file(path);
  std::set<std::string> here;  // several cases in one file are one place
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (!std::regex_search(line, found, number)) continue;
    bool is_test = path.extension() == ".cpp";
    if (!is_test || here.insert(found[1]).second) places[found[1]].insert(path.filename());
  }
}

Places places_in(const std::filesystem::path& folder) {
  Places places;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".cpp") collect(file.path(), std::regex(R"(^TEST\((h\d+), )"), places);
    if (file.path().extension() == ".md") collect(file.path(), std::regex(R"(^\| (h\d+) \|)"), places);
  }
  return places;
}

std::vector<std::string> wrong_numbers(const Places& places) {
  std::vector<std::string> wrong;
  for (int hole = 1; hole <= holes; ++hole) {
    auto found = places.find(fmt::format("h{:03}", hole));
    std::size_t times = found == places.end() ? 0 : found->second.size();
    if (times != 1) wrong.push_back(fmt::format("h{:03}: {} times", hole, times));
  }
  if (places.size() > holes) wrong.push_back("a number beyond the list");
  return wrong;
}

TEST(list, of_holes_is_tested_or_explained_each_once) {
  EXPECT_EQ(wrong_numbers(places_in("tests/holes")), std::vector<std::string>{});
}

TEST(list, notices_a_hole_that_is_missing_or_there_twice) {
  Places places = places_in("tests/holes");
  places.erase("h001");
  places["h004"].insert("types_test.cpp");
  EXPECT_EQ(wrong_numbers(places), (std::vector<std::string>{"h001: 0 times", "h004: 2 times"}));
}

}  // namespace
}  // namespace tutti
