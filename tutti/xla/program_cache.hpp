// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tutti/xla/pjrt/executable.hpp"

namespace tutti::xla {

/// Lists all that a compiled program depends on: its text, the plugin, the options and the processor.
std::string cache_key(const Client& client, const DeviceList& devices, const Source& source);
/// Reads the serialised program with this key. None if the folder has none, or its file is damaged.
std::optional<std::string> cached_program(const std::string& folder, const std::string& key);
/// Writes a serialised program. Other processes see all of it or nothing. Does nothing if it cannot be
/// written.
void cache_program(const std::string& folder, const std::string& key, const std::string& bytes);

}  // namespace tutti::xla
