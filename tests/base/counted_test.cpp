// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/counted.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

TEST(counted, says_one_thing_in_the_singular) {
  EXPECT_EQ(counted(1, "dim"), "1 dim");
  EXPECT_EQ(counted(0, "dim"), "0 dims");
  EXPECT_EQ(counted(2, "dim"), "2 dims");
  EXPECT_EQ(counted(-1, "element"), "-1 elements");
}

TEST(counted, knows_plurals_without_an_s) {
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(3, "entry", "entries"), "3 entries");
}

}  // namespace
}  // namespace tutti
