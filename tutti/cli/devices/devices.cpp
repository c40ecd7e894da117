// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "tutti/cli/devices/device_report.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/xla/pjrt/find_plugin.hpp"

namespace tutti::cli {

int devices(const DevicesArguments& arguments) {
  const xla::PluginPlaces places = xla::plugin_places();
  std::vector<Candidate> candidates{{"--plugin", arguments.plugin}, {"TUTTI_PJRT_PLUGIN", places.variable}};
  for (std::string& path : xla::find_plugins(places.environments))
    candidates.push_back({"found", std::move(path)});
  const auto client = xla::Client::create(
      xla::Plugin::open(xla::choose_plugin(arguments.plugin, places.variable, places.environments)));
  const DeviceReport report = report_of(*client, std::move(candidates));
  if (arguments.json)
    fmt::print("{}\n", device_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else fmt::print("{}", device_text(report));
  return 0;
}

}  // namespace tutti::cli
