// SPDX-License-Identifier: Apache-2.0
#include "tests/support/installed_copy.hpp"

#include <unistd.h>

#include <fstream>

#include "tests/support/command.hpp"

namespace tutti {

namespace fs = std::filesystem;

InstalledCopy::InstalledCopy(const std::string& program)
    : root_(fs::temp_directory_path() / ("tutti_installed_" + program + "_" + std::to_string(getpid()))),
      program_(root_ / "build/release/bin" / program) {
  fs::remove_all(root_);
  fs::create_directories(program_.parent_path());
  fs::copy_file(fs::path(program_folder()) / program, program_);
}

void InstalledCopy::become_built() const {
  std::ofstream(root_ / "build/release/CMakeCache.txt")
      << "# a comment\nCMAKE_HOME_DIRECTORY:INTERNAL=" << root_.string() << "\nOTHER:STRING=1\n";
}

std::string InstalledCopy::plant_plugin(const std::string& environment) const {
  const fs::path plugin =
      root_ / environment / "lib/python3.11/site-packages/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so";
  fs::create_directories(plugin.parent_path());
  fs::create_symlink(fs::path(program_folder()) / "libfake_plugin.so", plugin);
  return plugin.string();
}

}  // namespace tutti
