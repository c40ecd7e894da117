// SPDX-License-Identifier: Apache-2.0
// Programs that may not take the address space that they want.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/command.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti {
namespace {

constexpr int last_kib = 400 << 10;

// OpenBLAS starts a thread per processor when it is loaded, before a program begins, and ends the process where one has no
// memory for its stack.
Finished run_within(int kib, const std::string& command, int openblas_threads = 1) {
  return run_command("sh -c 'ulimit -v " + std::to_string(kib) +
                     "; OPENBLAS_NUM_THREADS=" + std::to_string(openblas_threads) + " exec timeout 60 " +
                     program_folder() + "/" + command + "'");
}

/// The least within which a program can be loaded, and a little more.
int first_kib(const std::string& program) {
  int too_little = 0, enough = last_kib;
  while (enough - too_little > 64) {
    const int middle = (too_little + enough) / 2;
    (run_within(middle, program + " --help").status == 0 ? enough : too_little) = middle;
  }
  return enough + 128;  // addresses are random
}

class little_memory : public testing::TestWithParam<const char*> {};

// In steps of 1 MiB as long as there is too little memory, where each step meets another allocation, and of 16 MiB from
// there on: all steps of 2 MB take a minute.
TEST_P(little_memory, is_an_error_of_one_line) {
  if (has_sanitizer()) GTEST_SKIP() << "sanitizers reserve terabytes of address space";
  const std::string command = GetParam(), program = command.substr(0, command.find(' '));
  int failures = 0, successes = 0;
  for (int kib = first_kib(program); kib <= last_kib; kib += successes < 2 ? 1 << 10 : 16 << 10) {
    const Finished run = run_within(kib, command);
    const std::size_t error = run.err.rfind(program + ": error[R003]: ");
    const bool is_refused = run.status == 5 && error != std::string::npos &&
                            std::count(run.err.begin() + std::ptrdiff_t(error), run.err.end(), '\n') == 1;
    ASSERT_TRUE(run.status == 0 || is_refused)
        << "within " << kib << " KiB it ended with status " << run.status << " and said: " << run.err;
    (run.status == 0 ? successes : failures) += 1;
  }
  EXPECT_GT(failures, 0);
  EXPECT_GT(successes, 10);
}

// A thread that OpenBLAS starts has room for its stack, but not for its buffer.
TEST(openblas, keeps_no_program_from_ending) {
  if (has_sanitizer()) GTEST_SKIP() << "sanitizers reserve terabytes of address space";
  constexpr int stack_kib = 8 << 10;
  const Finished run = run_within(first_kib("tutti") + 2 * stack_kib, "tutti --version", 2);
  EXPECT_EQ(run.status, 0) << run.err;
}

INSTANTIATE_TEST_SUITE_P(of, little_memory,
                         testing::Values("tutti rules", "tutti explain psum", "digits --steps 2"),
                         [](const auto& row) {
                           std::string text = row.param;
                           std::ranges::replace_if(text, [](char c) { return !std::isalnum(c); }, '_');
                           return text;
                         });

}  // namespace
}  // namespace tutti
