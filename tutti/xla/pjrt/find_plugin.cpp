// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/find_plugin.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/ranges.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

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

/// The source folder that a CMakeCache.txt names. Empty without the file or the line.
fs::path source_folder(const fs::path& cache) {
  constexpr std::string_view key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::ifstream file(cache);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) {
      const fs::path folder = line.substr(key.size());
      return folder.is_absolute() ? folder : fs::path();
    }
  return {};
}

bool have_one_owner(const fs::path& a, const fs::path& b) {
  struct stat one, other;
  return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 && one.st_uid == other.st_uid;
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
  const std::string places =
      environments.empty()
          ? "there is no Python environment to search: VIRTUAL_ENV is not set"
          : fmt::format("none is in the Python environments [{}]", fmt::join(environments, ", "));
  require(!found.empty(), Code::device,
          "xla: no PJRT plugin is named, and {}; name the file of a plugin, set TUTTI_PJRT_PLUGIN, or "
          "install one, as `pip install lammps-jax-pjrt-cpu` does for CPUs, and activate its environment",
          places);
  return found.front();
}

std::filesystem::path running_program() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/exe", unknown);
}

std::string environment_of_build(const fs::path& program) {
  const fs::path folder = program.parent_path();
  for (const fs::path& build : {folder, folder.parent_path()}) {
    const fs::path cache = build / "CMakeCache.txt";
    if (build == folder || folder.filename() == "bin")
      if (const fs::path sources = source_folder(cache); !sources.empty() && have_one_owner(cache, program))
        return (sources / ".venv").string();
  }
  return "";
}

PluginPlaces plugin_places() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): the header says so
    return value ? value : "";
  };
  PluginPlaces places{variable("TUTTI_PJRT_PLUGIN"), {}};
  const std::string active = variable("VIRTUAL_ENV"), of_build = environment_of_build(running_program());
  if (!active.empty()) places.environments.push_back(active);
  std::error_code is_missing;
  if (!of_build.empty() && !fs::equivalent(active, of_build, is_missing))
    places.environments.push_back(of_build);
  return places;
}

}  // namespace tutti::xla
