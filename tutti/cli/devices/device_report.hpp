// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tutti/xla/pjrt/client.hpp"

namespace tutti::cli {

/// A source that may name the plugin's file.
struct Candidate {
  std::string source;  // "--plugin", "TUTTI_PJRT_PLUGIN", "found"
  std::string path;    // empty: none
};

struct ListedDevice {
  xla::DeviceInfo device;
  std::optional<xla::DeviceMemory> memory;
};

/// The facts that `tutti devices` prints.
struct DeviceReport {
  std::vector<Candidate> candidates;                   // the first one with a path was opened
  std::string plugin;                                  // the path of the opened plugin
  std::string pjrt, stablehlo, oldest_stablehlo, xla;  // versions; empty: the plugin does not report it
  std::string platform, platform_version;
  int process = 0;
  std::vector<ListedDevice> devices;
};

DeviceReport report_of(const xla::Client& client, std::vector<Candidate> candidates);
std::string device_text(const DeviceReport& report);
nlohmann::ordered_json device_json(const DeviceReport& report);

}  // namespace tutti::cli
