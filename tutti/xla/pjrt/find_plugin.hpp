// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tutti::xla {

/// Finds the plugins in the Python environments with these root folders, accelerators first. Skips empty
/// names and missing environments. Never runs Python: packages have their plugins at known places.
std::vector<std::string> find_plugins(std::span<const std::string> environments);

/// Chooses the plugin to open: `wanted`, else `variable`, else the first of find_plugins. `variable` is the
/// value of TUTTI_PJRT_PLUGIN. Throws R004 if there is no plugin.
std::string choose_plugin(const std::string& wanted, const std::string& variable,
                          std::span<const std::string> environments);

/// The Python environment `.venv` in the source folder of the build that made `program`. Empty if `program`
/// does not lie in a build folder or its folder bin: an installed copy does not. A build folder has a
/// CMakeCache.txt, which names the source folder; it counts if the program's owner owns it.
std::string environment_of_build(const std::filesystem::path& program);
/// The file of the running program.
std::filesystem::path running_program();

/// Where this process looks for plugins. The current folder is none of the places: whoever wrote a checkout
/// could run code in every program that is started there.
struct PluginPlaces {
  std::string variable;                   // the value of TUTTI_PJRT_PLUGIN
  std::vector<std::string> environments;  // $VIRTUAL_ENV, then that of this program's build
};
/// Reads the environment: no other thread may write it meanwhile.
PluginPlaces plugin_places();

}  // namespace tutti::xla
