// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tutti/xla/pjrt/client.hpp"

namespace tutti::cli {

/// Where the file of a plugin can come from.
struct Candidate {
  std::string source;  // "--plugin", "TUTTI_PJRT_PLUGIN", "found"
  std::string path;    // empty: none
};

struct ListedDevice {
  xla::DeviceInfo device;
  std::optional<xla::DeviceMemory> memory;
};

/// All that `tutti devices` tells.
struct DeviceReport {
  std::vector<Candidate> candidates;                   // the first one with a path was opened
  std::string plugin;                                  // its path
  std::string pjrt, stablehlo, oldest_stablehlo, xla;  // versions; empty: the plugin does not tell
  std::string platform, platform_version;
  int process = 0;
  std::vector<ListedDevice> devices;
};

DeviceReport report_of(const xla::Client& client, std::vector<Candidate> candidates);
std::string device_text(const DeviceReport& report);
nlohmann::ordered_json device_json(const DeviceReport& report);

}  // namespace tutti::cli
