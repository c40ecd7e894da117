// SPDX-License-Identifier: Apache-2.0
// The examples on the devices of a PJRT plugin, as a user runs them: --machine.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/examples/bad_command.hpp"
#include "tests/support/installed_copy.hpp"
#include "tests/support/real_plugin.hpp"

namespace tutti {
namespace {

using examples::BadCommand;
using examples::expect_refused;

const std::string fake = program_folder() + "/libfake_plugin.so";

/// The losses in a file of --curve.
std::vector<double> losses(const std::string& path) {
  std::vector<double> all;
  std::ifstream file(path);
  std::string number, loss;
  while (file >> number >> loss) all.push_back(std::strtod(loss.c_str(), nullptr));
  return all;
}

/// Some steps of a program with these options; their losses.
std::vector<double> losses_of(const std::string& program, const std::string& options) {
  const std::string curve =
      (std::filesystem::temp_directory_path() / ("curve_" + std::to_string(getpid()))).string();
  const Finished run = run_command(program_folder() + "/" + program + " --curve " + curve + " " + options);
  EXPECT_EQ(run.status, 0) << run.err;
  std::vector<double> all = losses(curve);
  std::filesystem::remove(curve);
  return all;
}

class examples_on_xla : public WithRealPlugin {
 protected:
  /// A thousandth: the sums are in another order.
  static void expect_the_losses_of_the_local_machine(const std::string& program, const std::string& options) {
    const std::vector<double> here = losses_of(program, options),
                              there = losses_of(program, options + " --machine xla:" + real_plugin_path());
    ASSERT_EQ(here.size(), there.size());
    ASSERT_FALSE(here.empty());
    for (std::size_t i = 0; i < here.size(); ++i)
      EXPECT_NEAR(there[i], here[i], 1e-3 * here[i]) << "step " << i + 1;
  }
};

TEST_F(examples_on_xla, digits_learns_as_on_the_local_machine) {
  expect_the_losses_of_the_local_machine("digits", "--steps 20");
}

TEST_F(examples_on_xla, digits_says_where_it_runs_and_how_well) {
  const Finished run = run_command(program_folder() + "/digits --machine xla:" + real_plugin_path());
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find(" training digits on 8 cpu devices of XLA (data=4,model=2)\n"), std::string::npos)
      << run.out;
  const std::size_t last = run.out.rfind("accuracy ");
  ASSERT_NE(last, std::string::npos) << run.out;
  EXPECT_GE(std::stod(run.out.substr(last + 9)), 0.96);
}

TEST_F(examples_on_xla, transformer_learns_as_on_the_local_machine) {
  expect_the_losses_of_the_local_machine("transformer", "--layers 2 --steps 3");
}

TEST(examples_machine, refuses_workers_for_a_plugin) {
  for (const char* program : {"digits", "transformer", "heat", "experts", "poisson", "gp"}) {
    const std::string options = "--workers 2 --machine xla:" + fake;
    expect_refused(program_folder() + "/" + program,
                   BadCommand{options.c_str(), "--workers 2: a plugin has threads of its own; leave it out",
                              1});
  }
}

TEST(examples_machine, loads_no_plugin_from_the_folder_that_it_is_called_in) {
  for (const std::string program : {"digits", "transformer", "heat", "experts", "poisson", "gp"}) {
    const InstalledCopy installed(program);
    installed.plant_plugin("here/.venv");
    const std::string call = "cd " + (installed.root() / "here").string() +
                             " && env -u TUTTI_PJRT_PLUGIN -u VIRTUAL_ENV " + installed.path();
    expect_refused(call,
                   BadCommand{"--machine xla", ": error[R004]: open_xla: xla: no PJRT plugin is named", 5});
  }
}

class examples_machine_refuses : public testing::TestWithParam<BadCommand> {};

TEST_P(examples_machine_refuses, with_one_clear_line) {
  expect_refused("cd / && env -u TUTTI_PJRT_PLUGIN VIRTUAL_ENV=/no/such " + program_folder() + "/digits",
                 GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    bad, examples_machine_refuses,
    testing::Values(BadCommand{"--machine gpu",
                               "digits: error[R002]: --machine gpu: there is no such machine", 1},
                    BadCommand{"--machine xla:", "error[R002]: --machine xla:: there is no such machine", 1},
                    BadCommand{"--machine xla:no_such.so", "no_such.so cannot be opened", 5},
                    BadCommand{"--machine xla:/etc/passwd", "/etc/passwd cannot be opened", 5}));

}  // namespace
}  // namespace tutti
