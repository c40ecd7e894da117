// SPDX-License-Identifier: Apache-2.0
// The self tests of tools/run_shard: the variable PLANTED says what the third of these cases does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

std::string planted() {
  const char* value = std::getenv("PLANTED");
  return value == nullptr ? "" : value;
}

TEST(planted, passes) {}
TEST(planted, passes_as_well) {}
TEST(planted, does_what_it_is_asked_for) {
  if (planted() == "fail") FAIL() << "as planted";
  if (planted() == "die") std::abort();
  if (planted() == "hang") pause();
  if (planted() == "exit0") std::_Exit(0);
  if (planted() == "exit1") std::_Exit(1);
  if (planted() == "exit1 at the end") std::atexit([] { std::_Exit(1); });
  if (planted() == "skip") GTEST_SKIP() << "there is no such library";
}
TEST(planted, is_the_last_of_all) {}

}  // namespace
