// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tutti::xla {

/// The plugins in the Python environments with these root folders, accelerators first. An environment that is not there,
/// or an empty name, has none. Python is not run: packages have their plugins at known places.
std::vector<std::string> find_plugins(std::span<const std::string> environments);

/// The plugin to open: the one that `wanted` names; else the one that `variable`, the value of TUTTI_PJRT_PLUGIN, names;
/// else the first that find_plugins finds. Throws R004 if there is none.
std::string choose_plugin(const std::string& wanted, const std::string& variable,
                          std::span<const std::string> environments);

}  // namespace tutti::xla
