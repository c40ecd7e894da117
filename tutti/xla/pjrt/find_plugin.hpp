// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tutti::xla {

/// Finds the plugins in the Python environments with these root folders, accelerators first. Skips empty names and
/// missing environments. Never runs Python: packages have their plugins at known places.
std::vector<std::string> find_plugins(std::span<const std::string> environments);

/// Chooses the plugin to open: `wanted`, else `variable`, else the first of find_plugins. `variable` is the value of
/// TUTTI_PJRT_PLUGIN. Throws R004 if there is no plugin.
std::string choose_plugin(const std::string& wanted, const std::string& variable,
                          std::span<const std::string> environments);

/// Where this process looks for plugins.
struct PluginPlaces {
  std::string variable;                   // the value of TUTTI_PJRT_PLUGIN
  std::vector<std::string> environments;  // $VIRTUAL_ENV, then ./.venv
};
/// Reads the environment: no other thread may write it meanwhile.
PluginPlaces plugin_places();

}  // namespace tutti::xla
