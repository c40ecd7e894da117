// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "tutti/cli/devices/device_report.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/xla/pjrt/find_plugin.hpp"

namespace tutti::cli {
namespace {

/// The client of a plugin. An error names the other plugins that could be tried.
std::shared_ptr<const xla::Client> opened(const std::string& file,
                                          const std::vector<Candidate>& candidates) try {
  return xla::Client::create(xla::Plugin::open(file));
} catch (const Error& error) {
  std::vector<std::string> notes = error.notes();
  for (const Candidate& candidate : candidates)
    if (!candidate.path.empty() && candidate.path != file)
      notes.push_back(fmt::format("another plugin: {} ({})", candidate.path, candidate.source));
  throw Error(error.code(), error.where(), error.message(), std::move(notes));
}

}  // namespace

int devices(const DevicesArguments& arguments) {
  const xla::PluginPlaces places = xla::plugin_places();
  std::vector<Candidate> candidates{{"--plugin", arguments.plugin}, {"TUTTI_PJRT_PLUGIN", places.variable}};
  for (std::string& path : xla::find_plugins(places.environments))
    candidates.push_back({"found", std::move(path)});
  const std::string file = xla::choose_plugin(arguments.plugin, places.variable, places.environments);
  const std::shared_ptr<const xla::Client> client = opened(file, candidates);
  const DeviceReport report = report_of(*client, std::move(candidates));
  if (arguments.json)
    fmt::print("{}\n", device_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else fmt::print("{}", device_text(report));
  return 0;
}

}  // namespace tutti::cli
