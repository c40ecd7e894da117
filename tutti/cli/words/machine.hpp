// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace tutti::cli {

inline constexpr const char* machine_help =
    "where to run: local, or xla:FILE for the devices of a PJRT plugin; xla alone finds the plugin itself";

/// Reads the value of --machine. None: virtual devices of this process. Else the plugin's file; empty: find one.
/// Throws R002 for other values.
std::optional<std::string> plugin_of_machine(const std::string& text);

}  // namespace tutti::cli
