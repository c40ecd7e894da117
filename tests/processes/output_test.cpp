// SPDX-License-Identifier: Apache-2.0
// Programs whose output goes nowhere, and whose descriptors 0, 1 and 2 are closed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

/// "digits --help >/dev/full", by a shell of its own: it may close what run_command wants.
Finished run_program(const std::string& command) {
  return run_command("sh -c '" + program_folder() + "/" + command + "'");
}

class output_of : public testing::TestWithParam<const char*> {
 protected:
  std::string name() const { return std::string(GetParam()).substr(0, std::string(GetParam()).find(' ')); }
};

TEST_P(output_of, a_program_to_a_full_disk_is_an_error_of_one_line) {
  Finished run = run_program(std::string(GetParam()) + " >/dev/full");
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(run.err.starts_with(name() + ": error[R001]: the output cannot be written")) << run.err;
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
}

TEST_P(output_of, a_program_to_nowhere_is_an_error_of_one_line) {
  Finished run = run_program(std::string(GetParam()) + " >&-");
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(run.err.starts_with(name() + ": error[R001]: the output cannot be written")) << run.err;
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
}

TEST_P(output_of, a_program_that_cannot_even_say_so_is_its_exit_status) {
  for (const char* closed : {" >&- 2>&-", " <&- >&- 2>&-", " >/dev/full 2>/dev/full"}) {
    Finished run = run_program(GetParam() + std::string(closed));
    EXPECT_EQ(run.status, 4) << closed;
    EXPECT_EQ(run.out + run.err, "") << closed;
  }
}

TEST_P(output_of, a_program_does_not_need_the_other_two) {
  Finished whole = run_program(GetParam()), run = run_program(std::string(GetParam()) + " <&- 2>&-");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, whole.out);
}

INSTANTIATE_TEST_SUITE_P(all, output_of,
                         testing::Values("tutti --help", "tutti --version", "tutti rules",
                                         "tutti rules --json", "tutti explain psum",
                                         "tutti explain psum --json", "digits --help", "digits --steps 0",
                                         "transformer --help", "transformer --layers 1 --steps 0"),
                         [](const auto& row) {
                           std::string text = row.param;
                           std::ranges::replace_if(text, [](char c) { return !std::isalnum(c); }, '_');
                           return text;
                         });

class ProgramFile : public testing::Test {
 protected:
  ProgramFile() { fs::create_directories(folder_); }
  ~ProgramFile() override { fs::remove_all(folder_); }
  std::string content() const { return text_of_file(file_); }
  std::string folder_ = fs::temp_directory_path() / ("tutti_output_" + std::to_string(getpid()));
  std::string file_ = folder_ + "/file";
};
using closed_descriptors = ProgramFile;
using full_disk = ProgramFile;

TEST_F(closed_descriptors, are_not_those_of_a_curve) {
  EXPECT_EQ(run_program("digits --steps 2 --curve " + file_).status, 0);
  const std::string curve = content();
  EXPECT_EQ(curve.substr(0, 4), "1 0x");
  for (const auto& [closed, status] : {std::pair{"<&-", 0}, {">&-", 4}, {"2>&-", 0}, {"<&- >&- 2>&-", 4}}) {
    fs::remove(file_);
    EXPECT_EQ(run_program("digits --steps 2 --curve " + file_ + " " + closed).status, status) << closed;
    EXPECT_EQ(content(), curve) << closed;
  }
}

TEST_F(closed_descriptors, are_not_those_of_a_timeline) {
  for (const auto& [closed, status] : {std::pair{"<&-", 0}, {">&-", 4}, {"2>&-", 0}, {"<&- >&- 2>&-", 4}}) {
    fs::remove(file_);
    EXPECT_EQ(run_program("tutti explain psum --trace " + file_ + " " + closed).status, status) << closed;
    EXPECT_TRUE(nlohmann::json::accept(content())) << closed;
  }
}

// A limit on the size of files, of 8 blocks, stands for a full disk; the parameters take 36 KiB.
TEST_F(full_disk, leaves_the_old_parameters_whole) {
  EXPECT_EQ(run_program("digits --steps 0 --save " + file_).status, 0);
  const std::string old = content();
  Finished run =
      run_command("sh -c 'ulimit -f 8; " + program_folder() + "/digits --steps 1 --save " + file_ + "'");
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(run.err.ends_with("digits: error[R001]: '" + file_ +
                                "' cannot be written: File too large; free some space or write elsewhere\n"))
      << run.err;
  EXPECT_EQ(content(), old);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace tutti
