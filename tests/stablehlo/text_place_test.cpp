// SPDX-License-Identifier: Apache-2.0
#include "tutti/mlir/text_place.hpp"

#include <gtest/gtest.h>

namespace tutti::mlir {
namespace {

/// Lines of up to 1500 characters of one to four bytes: they lie across the marks of TextPlaces.
TEST(text_place, counts_lines_and_characters_from_the_start) {
  std::string text;
  std::vector<Where> expected;  // per byte that begins a character
  std::vector<std::size_t> begins;
  int line = 1, column = 1;
  const std::vector<std::string> characters = {"a", "é", "→", "𝄞", " "};
  for (int i = 0; i < 20'000; ++i) {
    const bool ends = i % 1500 == 7;
    begins.push_back(text.size());
    expected.push_back({"text", line, column});
    text += ends ? "\n" : i > 9000 && i < 14'000 ? "b" : characters[static_cast<std::size_t>(i * i % 5)];
    line += ends ? 1 : 0;
    column = ends ? 1 : column + 1;
  }
  const TextPlaces places(text);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const Where found = places.place(text, begins[i], "text");
    ASSERT_TRUE(found.line == expected[i].line && found.column == expected[i].column) << begins[i];
  }
  EXPECT_EQ(places.place(text, text.size(), "text").line, line);
}

TEST(text_place, counts_each_byte_of_no_character) {
  const std::string text = "a\xff\xfe\xc3(b";
  EXPECT_EQ(TextPlaces(text).place(text, 5, "text").column, 6);
  EXPECT_EQ(TextPlaces("").place("", 0, "text").line, 1);
}

}  // namespace
}  // namespace tutti::mlir
