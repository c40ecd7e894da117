// SPDX-License-Identifier: Apache-2.0
// Programs that may not take the address space that they want.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/command.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti {
namespace {

constexpr int last_kib = 400 << 10;

Finished run_within(int kib, const std::string& command) {
  return run_command("sh -c 'ulimit -v " + std::to_string(kib) + "; exec timeout 60 " + program_folder() +
                     "/" + command + "'");
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

// In steps of 1 MiB as long as there is too little memory, where each step meets another allocation, and of
// 16 MiB from there on: all steps of 2 MB take a minute.
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

// OpenBLAS starts a thread per processor when it is loaded. It ends the process where one has no memory for
// its stack, and waits for ever at the end of the process where one has none for its buffer.
TEST(openblas, is_not_loaded_where_there_is_no_memory_for_its_threads) {
  if (has_sanitizer()) GTEST_SKIP() << "sanitizers reserve terabytes of address space";
  const int first = first_kib("tutti");
  for (int kib = first; kib < first + (192 << 10); kib += 16 << 10) {
    const Finished run = run_within(kib, "tutti --version");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.out.find("OpenBLAS, which computes products of f64"), std::string::npos) << run.out;
  }
}

// The loader names every library that it loads.
TEST(openblas, is_not_loaded_by_a_program_without_products_of_f64) {
  const auto loads = [](const std::string& command) {
    const Finished run = run_command("sh -c 'LD_DEBUG=files " + program_folder() + "/" + command + "'");
    EXPECT_EQ(run.status, 0);
    return run.err.find("libopenblas") != std::string::npos;
  };
  EXPECT_FALSE(loads("digits --steps 2"));
  EXPECT_FALSE(loads("tutti explain psum"));
  EXPECT_TRUE(loads("tutti --version"));
}

TEST(digits, runs_within_102000_kib) {
  if (has_sanitizer()) GTEST_SKIP() << "sanitizers reserve terabytes of address space";
  const Finished run = run_within(102000, "digits --steps 2");
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
