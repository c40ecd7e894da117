// SPDX-License-Identifier: Apache-2.0
// tools/bench with programs that die: one line says which, at what and how, and the results of the last run
// stay.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/timeline_file.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

const std::string collectives = "build/release/bin/bench_collectives",
                  digits = "build/release/bin/bench_digits", jax = ".venv/bin/python",
                  results = "build/bench/results.json";

/// A folder with the scripts of this repository, in which shell scripts play the programs.
class bench_tool : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"build/release/bin", "build/bench", ".venv/bin"})
      fs::create_directories(root_ / folder);
    for (const char* folder : {"bench", "tools"})
      fs::create_directory_symlink(fs::absolute(folder), root_ / folder);
    std::ofstream(root_ / results) << "of the last run";
  }
  void TearDown() override { fs::remove_all(root_); }

  void plays(const std::string& program, const std::string& script) const {
    std::ofstream(root_ / program) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(root_ / program, fs::perms::owner_all);
  }
  /// To each line of input its answer, by its first word.
  void answers(const std::string& program, const std::string& prepare, const std::string& measure,
               const std::string& copy) const {
    plays(program, "while read -r line; do case $line in\nprepare*) " + prepare + ";;\nmeasure) " + measure +
                       ";;\ncopy) " + copy + ";;\nesac; done");
  }
  Finished run(const std::string& options) const {
    return run_command("cd " + root_.string() + " && tools/bench " + options);
  }
  std::string content(const std::string& file) const { return text_of_file(root_ / file); }
  void expect_one_line(const Finished& run, const std::string& line) const {
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.err, line + "\n");
    EXPECT_EQ(content(results), "of the last run");
  }

  static constexpr const char *ready = "echo '{}'", *measured = R"(echo '{"us": 2, "handoff_ns": [50, 60]}')",
                              *copied = R"(echo '{"us": 1, "stores": "plain"}')",
                              *one_psum = "--only psum --bytes 4096 --rounds 2 ";

 private:
  TemporaryName name_{"bench"};
  fs::path root_{name_.path()};
};

TEST_F(bench_tool, names_the_command_at_which_our_program_dies_and_how) {
  answers(collectives, "exit 3", measured, copied);
  expect_one_line(run(std::string(one_psum) + "--peers none"),
                  collectives + ": ended with exit status 3 at 'prepare psum 8 f32 4096 100'");
  answers(collectives, ready, "kill -SEGV $$", copied);
  expect_one_line(run(std::string(one_psum) + "--peers none"),
                  collectives + ": was killed by SIGSEGV at 'measure'");
  answers(collectives, ready, measured, "exit 0");
  expect_one_line(run(std::string(one_psum) + "--peers none"),
                  collectives + ": ended with exit status 0 at 'copy'");
  answers(collectives, ready, "echo 12 us", copied);
  expect_one_line(run(std::string(one_psum) + "--peers none"),
                  collectives + ": answered '12 us', which is no JSON, at 'measure'");
  answers(collectives, R"(echo '{"error": "no such collective"}')", measured, copied);
  expect_one_line(run(std::string(one_psum) + "--peers none"), collectives + ": no such collective");
}

TEST_F(bench_tool, goes_on_without_a_peer_that_dies_and_says_so_once) {
  answers(collectives, ready, measured, copied);
  answers(jax, ready, "exit 5", copied);
  Finished finished = run("--only psum,ppermute --bytes 4096 --rounds 3");
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.err,
            "psum 4096 jax: ended with exit status 5 at 'measure'; see build/bench/peers.log\n");
  nlohmann::json records = nlohmann::json::parse(content(results)).at("records");
  ASSERT_EQ(records.size(), 2U);
  for (const nlohmann::json& record : records) {
    EXPECT_EQ(record.at("us"), 2);
    EXPECT_TRUE(record.at("jax_us").is_null());
  }
}

TEST_F(bench_tool, names_the_other_program_that_dies_and_how) {
  const std::string command = digits +
                              " --benchmark_format=json --benchmark_min_time=0.2 --benchmark_repetitions=5 "
                              "--benchmark_enable_random_interleaving=true: ";
  answers(collectives, ready, measured, copied);
  expect_one_line(run("--rounds 1 --peers none"), command + "No such file or directory; run make bench");
  plays(digits, "echo '{'; exit 7");
  expect_one_line(run("--rounds 1 --peers none"), command + "ended with exit status 7");
  plays(digits, "kill -ABRT $$");
  expect_one_line(run("--rounds 1 --peers none"), command + "was killed by SIGABRT");
  plays(digits, R"(echo '{"benchmarks": [{"name": "digits_step", "error_occurred": true,
                           "error_message": "no memory"}]}')");
  expect_one_line(run("--rounds 1 --peers none"), digits + ": digits_step: no memory");
}

}  // namespace
}  // namespace tutti
