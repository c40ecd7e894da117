// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/excerpt.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

TEST(excerpt, is_the_text_if_that_is_short) {
  EXPECT_EQ(excerpt(""), "");
  EXPECT_EQ(excerpt("layers[0].weight"), "layers[0].weight");
  EXPECT_EQ(excerpt(std::string(100, 'x')), std::string(100, 'x'));
}

TEST(excerpt, ends_after_100_characters) {
  EXPECT_EQ(excerpt(std::string(101, 'x')), std::string(100, 'x') + "..");
  EXPECT_EQ(excerpt(std::string(1 << 20, '\x1b')).size(), 402U);
}

TEST(excerpt, counts_characters_not_bytes) {
  std::string all;
  for (int i = 0; i < 100; ++i) all += "\u00e9";
  EXPECT_EQ(excerpt(all), all);
  EXPECT_EQ(excerpt(all + "\u20ac"), all + "..");
}

TEST(excerpt, escapes_control_characters) {
  EXPECT_EQ(excerpt("a\x1b[2J\n\t\x7f z"), "a\\x1b[2J\\x0a\\x09\\x7f z");
  EXPECT_EQ(excerpt(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(excerpt("\u009b31m\u00a0"), "\\xc2\\x9b31m\u00a0");  // CSI of one character
}

TEST(excerpt, escapes_bytes_that_are_not_utf8) {
  EXPECT_EQ(excerpt("\x93NUMPY"), "\\x93NUMPY");
  EXPECT_EQ(excerpt("\xc3"), "\\xc3");
  EXPECT_EQ(excerpt("\xe2\x82z"), "\\xe2\\x82z");
  EXPECT_EQ(excerpt("\xc0\x80\xf5\x80\x80\x80"), "\\xc0\\x80\\xf5\\x80\\x80\\x80");
}

}  // namespace
}  // namespace tutti
