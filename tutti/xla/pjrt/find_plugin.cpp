// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/find_plugin.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "tutti/base/require.hpp"

namespace tutti::xla {
namespace {

namespace fs = std::filesystem;

// The places of plugins below site-packages, by package.
constexpr const char* accelerators =
    "jax_plugins";  // jax-cuda13-pjrt: jax_plugins/xla_cuda13/xla_cuda_plugin.so
constexpr std::array other_places{
    "libtpu/libtpu.so",                              // libtpu
    "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",  // lammps-jax-pjrt-cpu
    "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",      // xla-cpu-pjrt
};

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code unreadable;  // the list then ends
  for (fs::directory_iterator entry(folder, unreadable); entry != fs::directory_iterator();
       entry.increment(unreadable))
    entries.push_back(entry->path());
  std::ranges::sort(entries);
  return entries;
}

/// The folders ENVIRONMENT/lib/python3.11/site-packages, sorted by name.
std::vector<fs::path> site_packages(const std::string& environment) {
  std::vector<fs::path> folders;
  for (const fs::path& entry : sorted_entries(fs::path(environment) / "lib"))
    if (entry.filename().string().starts_with("python3")) folders.push_back(entry / "site-packages");
  return folders;
}

bool is_plugin_of_jax(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with("xla_") && name.ends_with("_plugin.so");
}

}  // namespace

std::vector<std::string> find_plugins(std::span<const std::string> environments) {
  std::vector<fs::path> folders;
  for (const std::string& environment : environments)
    if (!environment.empty()) std::ranges::copy(site_packages(environment), std::back_inserter(folders));
  std::vector<std::string> found;
  for (const fs::path& folder : folders)
    for (const fs::path& package : sorted_entries(folder / accelerators))
      for (const fs::path& file : sorted_entries(package))
        if (is_plugin_of_jax(file)) found.push_back(file.string());
  for (const char* place : other_places)
    for (const fs::path& folder : folders) {
      std::error_code unreadable;
      if (fs::is_regular_file(folder / place, unreadable)) found.push_back((folder / place).string());
    }
  return found;
}

std::string choose_plugin(const std::string& wanted, const std::string& variable,
                          std::span<const std::string> environments) {
  if (!wanted.empty()) return wanted;
  if (!variable.empty()) return variable;
  const std::vector<std::string> found = find_plugins(environments);
  require(!found.empty(), Code::device,
          "xla: no PJRT plugin is named, and none is in the Python environments [{}]; name the file of a "
          "plugin, set "
          "TUTTI_PJRT_PLUGIN, or install one, as `pip install lammps-jax-pjrt-cpu` does for CPUs",
          fmt::join(environments, ", "));
  return found.front();
}

PluginPlaces plugin_places() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): the header says so
    return value ? value : "";
  };
  constexpr const char* environment_here = ".venv";
  const std::string active = variable("VIRTUAL_ENV");
  std::error_code is_missing;
  const bool is_here = active.empty() || std::filesystem::equivalent(active, environment_here, is_missing);
  return {variable("TUTTI_PJRT_PLUGIN"), is_here ? std::vector<std::string>{environment_here}
                                                 : std::vector<std::string>{active, environment_here}};
}

}  // namespace tutti::xla
