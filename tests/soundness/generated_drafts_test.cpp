// SPDX-License-Identifier: Apache-2.0
#include "tests/soundness/generated_drafts.hpp"

#include <gtest/gtest.h>

namespace tutti::generated {
namespace {

TEST(found_and_shrunken, keeps_the_first_failure_if_it_does_not_repeat) {
  int tried = 0;
  std::string third;
  std::string found = found_and_shrunken({2}, {.programs = 10}, [&](const Draft& draft) {
    if (++tried != 3) return std::string();
    third = to_string(draft);
    return std::string("a law: broken once");
  });
  EXPECT_NE(found.find("a law: broken once"), std::string::npos) << found;
  EXPECT_NE(found.find(third), std::string::npos) << found;
}

TEST(found_and_shrunken, tells_of_the_shrunken_draft_alone_if_it_repeats) {
  std::string found = found_and_shrunken({2}, {.programs = 10}, [](const Draft& draft) {
    return draft.actions.empty() ? "" : "a law: broken by " + std::to_string(draft.actions.size());
  });
  EXPECT_NE(found.find("a law: broken by 1"), std::string::npos) << found;
  EXPECT_EQ(found.find("does not repeat"), std::string::npos) << found;
}

TEST(found_and_shrunken, is_empty_if_nothing_is_broken) {
  EXPECT_EQ(found_and_shrunken({2}, {.programs = 10}, [](const Draft&) { return ""; }), "");
}

}  // namespace
}  // namespace tutti::generated
