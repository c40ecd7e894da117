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

}  // namespace
}  // namespace tutti::xla
