// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace tutti::cli {

inline constexpr const char* machine_help =
    "where to run: local, or xla:FILE for the devices of a PJRT plugin; xla alone finds the plugin itself";

/// What --machine says. None: virtual devices of this process. Else the plugin's file, empty to look for one.
/// Throws R002 for other texts.
std::optional<std::string> plugin_of_machine(const std::string& text);

}  // namespace tutti::cli
