// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/words/program.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>

namespace tutti::cli {
namespace {

void say_at_exit() {
  std::atexit([] { std::fputs("destroyed", stderr); });
}

TEST(run_program, says_that_the_system_has_no_memory) {
  EXPECT_EXIT(
      run_program("x", []() -> int { throw std::system_error(ENOMEM, std::generic_category(), "thread"); }),
      testing::ExitedWithCode(5), "^x: error\\[R003\\]: out of memory\n$");
}

// Leak checkers look at the end, too.
TEST(run_program, destroys_static_objects_at_its_end) {
  EXPECT_EXIT(run_program("x",
                          [] {
                            say_at_exit();
                            return 3;
                          }),
              testing::ExitedWithCode(3), "^destroyed$");
}

TEST(run_program, destroys_nothing_without_memory) {
  EXPECT_EXIT(run_program("x",
                          []() -> int {
                            say_at_exit();
                            throw std::bad_alloc();
                          }),
              testing::ExitedWithCode(5), "^x: error\\[R003\\]: out of memory\n$");
}

}  // namespace
}  // namespace tutti::cli
