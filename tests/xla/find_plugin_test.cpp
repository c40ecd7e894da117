// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/find_plugin.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/xla/fake_xla.hpp"

namespace tutti::xla {
namespace {

/// A folder that looks like a Python environment.
class find_plugin : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(root); }
  std::string install(const std::string& environment, const std::string& file) const {
    const std::filesystem::path path = root / environment / "lib/python3.11/site-packages" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "no library";
    return path.string();
  }
  std::vector<std::string> environments() const { return {"", (root / "a").string(), (root / "b").string()}; }

  std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("tutti_find_plugin_" + std::to_string(getpid()));
};

TEST_F(find_plugin, prefers_accelerators_whatever_the_order_of_environments) {
  const std::string cpu = install("a", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so");
  const std::string old_cpu = install("a", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so");
  const std::string gpu = install("b", "jax_plugins/xla_cuda13/xla_cuda_plugin.so");
  const std::string tpu = install("b", "libtpu/libtpu.so");
  install("b", "jax_plugins/xla_cuda13/version.py");
  EXPECT_EQ(find_plugins(environments()), (std::vector{gpu, tpu, cpu, old_cpu}));
}

TEST_F(find_plugin, finds_none_in_folders_that_are_not_there) {
  EXPECT_EQ(find_plugins(environments()), std::vector<std::string>{});
}

TEST_F(find_plugin, takes_the_one_that_is_named_then_the_variable_then_the_first_found) {
  const std::string cpu = install("a", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so");
  EXPECT_EQ(choose_plugin("named.so", "variable.so", environments()), "named.so");
  EXPECT_EQ(choose_plugin("", "variable.so", environments()), "variable.so");
  EXPECT_EQ(choose_plugin("", "", environments()), cpu);
}

TEST_F(find_plugin, says_where_it_looked_if_there_is_none) {
  expect_refusal([&] { choose_plugin("", "", environments()); }, Code::device,
                 {"no PJRT plugin", (root / "b").string(), "TUTTI_PJRT_PLUGIN"});
}

/// A build folder of the checkout root, with a program that need not be one.
class environment_of_build_at : public find_plugin {
 protected:
  std::string program(const std::string& file) const {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << "a program";
    return environment_of_build(root / file);
  }
  void configure(const std::string& build, const std::string& home) const {
    std::filesystem::create_directories(root / build);
    std::ofstream(root / build / "CMakeCache.txt") << "//\nCMAKE_HOME_DIRECTORY:INTERNAL=" << home << '\n';
  }
};

TEST_F(environment_of_build_at, is_that_of_the_checkout) {
  configure("build/release", root.string());
  EXPECT_EQ(program("build/release/bin/digits"), (root / ".venv").string());
  EXPECT_EQ(program("build/release/own"), (root / ".venv").string());
  configure("elsewhere", (root / "checkout").string());
  EXPECT_EQ(program("elsewhere/bin/digits"), (root / "checkout/.venv").string());
}

TEST_F(environment_of_build_at, is_none_of_an_installed_copy) {
  configure("build", root.string());
  configure("", root.string());
  EXPECT_EQ(program("build/prefix/bin/digits"), "");  // installed in a build folder
  EXPECT_EQ(program("build/lib/digits"), "");
  EXPECT_EQ(program("prefix/bin/digits"), "");
  EXPECT_EQ(environment_of_build("/usr/bin/env"), "");
}

TEST_F(environment_of_build_at, is_none_without_the_name_of_a_source_folder) {
  configure("a", "");
  EXPECT_EQ(program("a/bin/digits"), "");
  configure("b", "not/absolute");
  EXPECT_EQ(program("b/bin/digits"), "");
  std::filesystem::create_directories(root / "c");
  std::ofstream(root / "c/CMakeCache.txt") << "CMAKE_HOME:INTERNAL=/\n";
  EXPECT_EQ(program("c/bin/digits"), "");
}

// Somebody may write a CMakeCache.txt where all may write, as in /tmp.
TEST_F(environment_of_build_at, is_none_if_another_user_made_the_build_folder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  configure("build", root.string());
  EXPECT_EQ(program("build/bin/digits"), (root / ".venv").string());
  ASSERT_EQ(::chown((root / "build/CMakeCache.txt").c_str(), 12345, 12345), 0);
  EXPECT_EQ(program("build/bin/digits"), "");
}

TEST_F(find_plugin, does_not_look_in_the_current_folder) {
  const std::string planted = install(".venv", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(root);
  const PluginPlaces places = plugin_places();
  for (const std::string& found : find_plugins(places.environments))
    EXPECT_FALSE(std::filesystem::equivalent(found, planted)) << found;
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace tutti::xla
