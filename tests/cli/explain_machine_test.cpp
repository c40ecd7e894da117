// SPDX-License-Identifier: Apache-2.0
// tutti explain OP --machine: the example runs on the devices of a PJRT plugin.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/command.hpp"
#include "tests/support/installed_copy.hpp"
#include "tests/support/real_plugin.hpp"

namespace tutti {
namespace {

const std::string tool = program_folder() + "/tutti";
const std::string fake = program_folder() + "/libfake_plugin.so";

Finished explain(const std::string& arguments) { return run_command(tool + " explain " + arguments); }
nlohmann::json explained(const std::string& arguments) {
  const Finished run = explain(arguments + " --json");
  EXPECT_EQ(run.status, 0) << run.err;
  return nlohmann::json::parse(run.out);
}
std::string section(const std::string& text, const std::string& title) {
  const std::size_t begin = text.find("\n" + title) + 1;
  return text.substr(begin, text.find("\n\n", begin) - begin);
}

// Results of the fake plugin are zeros: the numbers of the plugin's devices are shown, not ours.
TEST(explain_machine, shows_the_results_of_the_plugin) {
  const Finished run = explain("psum --machine xla:" + fake);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(section(run.out, "run on"), R"(run on 8 cpu devices of XLA (a=2,b=2,c=2)
  %0   a=0         [[-2. 0.5] [-1.5 1. ] [-1. 1.5]]
       a=1         [[-0.5 2. ] [ 0. -2. ] [ 0.5 -1.5]]
  %1   all devices [[0. 0.] [0. 0.] [0. 0.]])");
  EXPECT_EQ(explained("psum --machine xla:" + fake).at("machine"), "8 cpu devices of XLA (a=2,b=2,c=2)");
}

TEST(explain_machine, is_local_by_default) {
  EXPECT_EQ(explain("psum --machine local").out, explain("psum").out);
  EXPECT_EQ(explained("psum").at("machine"), "a=2,b=2,c=2");
}

TEST(explain_machine, is_named_by_one_of_four_words) {
  for (const char* word : {"gpu", "xla:", "XLA"}) {
    const Finished run = explain(std::string("psum --machine ") + word);
    EXPECT_EQ(run.status, 1) << word;
    EXPECT_EQ(run.out, "") << word;
    EXPECT_NE(run.err.find("say local, mpi, xla, or xla:FILE"), std::string::npos) << run.err;
  }
  const Finished empty = explain("psum --machine ''");
  EXPECT_EQ(empty.status, 1);
  EXPECT_EQ(empty.out, "");
  EXPECT_EQ(empty.err,
            "tutti: error[R002]: --machine: the value is empty; give one, or leave the option out\n");
}

TEST(explain_machine, has_no_timeline_of_our_workers) {
  const Finished run = explain("psum --trace t.json --machine xla:" + fake);
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(
      run.err,
      "tutti: error[R002]: --trace t.json: it records the workers of the local machine; leave it out with "
      "--machine xla:" +
          fake + "\n");
}

/// The status is that of R004, and nothing is printed.
std::string refused(const Finished& run) {
  EXPECT_EQ(run.status, 5);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("error[R004]"), std::string::npos) << run.err;
  return run.err;
}

TEST(explain_machine, without_a_plugin_is_refused_with_what_to_do) {
  const InstalledCopy installed("tutti");
  installed.plant_plugin("here/.venv");
  const std::string message = refused(run_command("cd " + (installed.root() / "here").string() +
                                                  " && env -u TUTTI_PJRT_PLUGIN VIRTUAL_ENV=/no/such " +
                                                  installed.path() + " explain psum --machine xla"));
  for (const char* part : {"no PJRT plugin", "/no/such", "TUTTI_PJRT_PLUGIN"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(explain_machine, of_a_file_that_is_no_plugin_is_refused) {
  EXPECT_NE(refused(explain("psum --machine xla:no_such.so")).find("no_such.so"), std::string::npos);
  EXPECT_NE(refused(explain("psum --machine xla:README.md")).find("README.md"), std::string::npos);
  EXPECT_NE(refused(explain("psum --machine xla:" + program_folder() + "/libfake_driver.so"))
                .find("is no PJRT plugin"),
            std::string::npos);
}

class explain_on_xla : public WithRealPlugin {};

// The numbers of the examples are halves: all sums and products here are exact.
TEST_F(explain_on_xla, shows_the_values_of_the_local_machine) {
  for (const std::string op : {"psum", "permute", "dot_general", "argmax", "scatter"})
    EXPECT_EQ(explained(op + " --machine xla:" + real_plugin_path()).at("values"), explained(op).at("values"))
        << op;
}

}  // namespace
}  // namespace tutti
