// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/command.hpp"
#include "tests/support/installed_copy.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

const std::string fake = program_folder() + "/libfake_plugin.so";

/// A folder that looks like a Python environment, with the fake plugin as a GPU plugin and as a CPU plugin.
/// The tool is an installed copy, which knows of no other environment.
class devices : public testing::Test {
 protected:
  devices() {
    for (const std::string& plugin : {gpu, cpu}) {
      fs::create_directories(fs::path(plugin).parent_path());
      fs::create_symlink(fake, plugin);
    }
    fs::create_directories(root / "empty");
  }
  ~devices() override { fs::remove_all(root); }
  /// Runs the tool in a folder without plugins. `variables` are "NAME=value".
  Finished run(const std::string& arguments, const std::string& variables = "") const {
    return run_command("cd " + (root / "empty").string() +
                       " && env -u TUTTI_PJRT_PLUGIN -u VIRTUAL_ENV -u FAKE_PJRT " + variables + " " +
                       tool_.path() + " devices " + arguments);
  }
  Finished run_fake(const std::string& machine, const std::string& arguments = "") const {
    return run("--plugin " + fake + " " + arguments, "FAKE_PJRT=" + machine);
  }

  const fs::path root = fs::temp_directory_path() / ("tutti_devices_" + std::to_string(getpid()));
  const std::string packages = (root / "env/lib/python3.11/site-packages").string();
  const std::string gpu = packages + "/jax_plugins/xla_cuda13/xla_cuda_plugin.so";
  const std::string cpu = packages + "/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so";
  const InstalledCopy tool_{"tutti"};
};

/// The part of the output before the plugins.
std::string before_plugins(const Finished& run) {
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out.substr(0, run.out.find("\nplugins"));
}

TEST_F(devices, are_listed_with_versions_memory_and_attributes) {
  EXPECT_EQ(before_plugins(run_fake("gpu")), "plugin:    " + fake + R"(
versions:  PJRT 0.115, StableHLO 0.9.0 to 1.20.0, XLA 2
platform:  cuda (cuda 13000)
process:   0, drives 2 of 2 devices

id  process  kind         memory in use   attributes
 0        0  NVIDIA H100  0 B of 1.0 GiB  coords [0], core_count 132, device_vendor NVIDIA
 1        0  NVIDIA H100  0 B of 1.0 GiB  coords [1], core_count 132, device_vendor NVIDIA
)");
}

TEST_F(devices, of_other_processes_are_listed_too) {
  const std::string text = before_plugins(run_fake("tpu"));
  EXPECT_EQ(text.substr(text.find("platform:")), R"(platform:  tpu (PJRT C API; TFRT TPU v4)
process:   1, drives 2 of 4 devices

id  process  kind    memory in use       attributes
 0        0  TPU v4  of another process  coords [0, 0, 0], core_on_chip 0
 3        0  TPU v4  of another process  coords [1, 0, 0], core_on_chip 0
 6        1  TPU v4  0 B of 1.0 GiB      coords [0, 1, 0], core_on_chip 0
 9        1  TPU v4  0 B of 1.0 GiB      coords [1, 1, 0], core_on_chip 0
)");
}

TEST_F(devices, have_a_dash_for_what_the_plugin_does_not_tell) {
  EXPECT_NE(before_plugins(run_fake("cpu")).find("\n 3        0  fake device  -              -\n"),
            std::string::npos);
}

TEST_F(devices, come_from_the_first_plugin_that_is_found) {
  const Finished found = run("", "VIRTUAL_ENV=" + (root / "env").string());
  EXPECT_TRUE(found.out.starts_with("plugin:    " + gpu + "\n")) << found.out << found.err;
  EXPECT_TRUE(found.out.ends_with("\nplugins by priority, * is opened:\n   --plugin           -\n   "
                                  "TUTTI_PJRT_PLUGIN  -\n*  found              " +
                                  gpu + "\n   found              " + cpu + "\n"))
      << found.out;
}

// A foreign checkout has whatever it likes in .venv.
TEST_F(devices, never_come_from_the_environment_of_this_folder) {
  fs::create_directory_symlink(root / "env", root / "empty/.venv");
  const Finished alone = run("");
  EXPECT_EQ(alone.status, 5) << alone.out;
  EXPECT_NE(alone.err.find("no PJRT plugin is named, and there is no Python environment"), std::string::npos)
      << alone.err;
  tool_.become_built();  // its checkout has no .venv
  EXPECT_EQ(run("").status, 5);
  tool_.plant_plugin("other");
  const Finished other = run("", "VIRTUAL_ENV=" + (tool_.root() / "other").string());
  EXPECT_EQ(other.out.find(root.string()), std::string::npos) << other.out;
  EXPECT_EQ(other.out.find("xla_cuda_plugin"), std::string::npos) << other.out;
}

TEST_F(devices, come_from_the_checkout_that_the_tool_was_built_in) {
  const std::string of_checkout = tool_.plant_plugin(".venv");
  EXPECT_EQ(run("").status, 5);  // an installed copy has no checkout
  tool_.become_built();
  const Finished found = run("");
  EXPECT_TRUE(found.out.starts_with("plugin:    " + of_checkout + "\n")) << found.out << found.err;
  // The same environment by two names has its plugins once.
  const Finished once = run("", "VIRTUAL_ENV=" + (tool_.root() / "build/../.venv").string());
  EXPECT_TRUE(once.out.ends_with("*  found              " + (tool_.root() / "build/../.venv").string() +
                                 of_checkout.substr((tool_.root() / ".venv").string().size()) + "\n"))
      << once.out << once.err;
}

TEST_F(devices, come_from_the_active_environment_before_the_checkout) {
  tool_.become_built();
  const std::string of_checkout = tool_.plant_plugin(".venv"), active = tool_.plant_plugin("active");
  const Finished found = run("", "VIRTUAL_ENV=" + (tool_.root() / "active").string());
  EXPECT_TRUE(found.out.ends_with("\n*  found              " + active + "\n   found              " +
                                  of_checkout + "\n"))
      << found.out << found.err;
}

TEST_F(devices, come_from_the_plugin_of_the_variable_then_of_the_option) {
  const std::string variables = "VIRTUAL_ENV=" + (root / "env").string() + " TUTTI_PJRT_PLUGIN=" + cpu;
  const Finished by_variable = run("", variables);
  EXPECT_NE(by_variable.out.find("\n   --plugin           -\n*  TUTTI_PJRT_PLUGIN  " + cpu + "\n   found "),
            std::string::npos)
      << by_variable.out << by_variable.err;
  const Finished by_option = run("--plugin " + gpu, variables);
  EXPECT_NE(by_option.out.find("\n*  --plugin           " + gpu + "\n   TUTTI_PJRT_PLUGIN  " + cpu +
                               "\n   found "),
            std::string::npos)
      << by_option.out << by_option.err;
}

TEST_F(devices, are_json_with_the_same_facts) {
  const auto json = nlohmann::json::parse(run_fake("tpu", "--json").out);
  EXPECT_EQ(json["platform"], "tpu");
  EXPECT_EQ(json["platform_version"], "PJRT C API\nTFRT TPU v4\n");
  EXPECT_EQ(json["process"], 1);
  EXPECT_EQ(json["versions"].dump(),
            R"({"oldest_stablehlo":"0.9.0","pjrt":"0.115","stablehlo":"1.20.0","xla":"2"})");
  ASSERT_EQ(json["devices"].size(), 4U);
  EXPECT_EQ(json["devices"][0].dump(),
            R"({"addressable":false,"attributes":{"coords":[0,0,0],"core_on_chip":0},"id":0,"kind":"TPU v4",)"
            R"("memory":null,"process":0})");
  EXPECT_EQ(json["devices"][3]["memory"].dump(), R"({"in_use":0,"limit":1073741824,"peak":null})");
  EXPECT_EQ(json["plugins"][0].dump(), R"({"path":")" + fake + R"(","source":"--plugin"})");
}

/// The status is that of R004, and nothing is printed.
std::string refused(const Finished& run) {
  EXPECT_EQ(run.status, 5);
  EXPECT_EQ(run.out, "");
  return run.err;
}

TEST_F(devices, without_any_plugin_are_refused_with_what_to_do) {
  const std::string message = refused(run("", "VIRTUAL_ENV=/no/such"));
  for (const char* part : {"error[R004]", "no PJRT plugin", "[/no/such]", "TUTTI_PJRT_PLUGIN", "pip install"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(std::ranges::count(message, '\n'), 1);
}

TEST_F(devices, of_files_that_are_no_plugins_are_refused) {
  EXPECT_NE(refused(run("--plugin no_such.so")).find("no_such.so cannot be opened: "), std::string::npos);
  EXPECT_NE(refused(run("--plugin /etc/passwd")).find("invalid ELF header"), std::string::npos);
  EXPECT_NE(refused(run("--plugin " + program_folder() + "/libmany_cpus.so")).find("is no PJRT plugin"),
            std::string::npos);
}

// With a time limit: the loader waits for whoever writes into a pipe.
TEST_F(devices, of_files_that_are_no_files_are_refused_at_once) {
  const std::string pipe = (root / "pipe.so").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  for (const auto& [file, why] : {std::pair{pipe, "is a device or pipe"},
                                  {root.string(), "is a folder"},
                                  {std::string("/dev/zero"), "is a device or pipe"}}) {
    const Finished found = run_command("timeout 20 " + tool_.path() + " devices --plugin " + file);
    EXPECT_EQ(found.status, 5) << file;
    EXPECT_NE(found.err.find("error[R004]: xla: " + file + " " + why), std::string::npos) << found.err;
  }
}

TEST_F(devices, of_an_empty_file_or_one_that_is_cut_off_are_refused) {
  const std::string file = (root / "cut.so").string();
  std::ofstream(file).close();
  EXPECT_NE(refused(run("--plugin " + file)).find("file too short"), std::string::npos);
  fs::copy_file(fake, file, fs::copy_options::overwrite_existing);
  fs::resize_file(file, fs::file_size(file) / 2);
  EXPECT_NE(refused(run("--plugin " + file)).find(file + " is cut off: it has "), std::string::npos);
}

TEST_F(devices, of_a_plugin_that_is_too_old_or_finds_none_are_refused) {
  EXPECT_NE(refused(run_fake("old")).find("has version 0.80 of PJRT, and 0.81 or a later 0.x is needed"),
            std::string::npos);
  EXPECT_NE(refused(run_fake("idle")).find("finds no device"), std::string::npos);
}

TEST_F(devices, have_help_that_says_where_plugins_come_from) {
  const Finished help = run("--help");
  for (const char* part : {"--plugin", "--json", "TUTTI_PJRT_PLUGIN", "$VIRTUAL_ENV"})
    EXPECT_NE(help.out.find(part), std::string::npos) << help.out;
}

TEST_F(devices, names_other_plugins_if_one_cannot_be_opened) {
  const Finished wrong = run("--plugin no/such.so", "TUTTI_PJRT_PLUGIN=" + fake);
  EXPECT_EQ(wrong.status, run("--plugin no/such.so").status);
  EXPECT_NE(wrong.err.find("another plugin: " + fake + " (TUTTI_PJRT_PLUGIN)"), std::string::npos)
      << wrong.err;
}

}  // namespace
}  // namespace tutti
