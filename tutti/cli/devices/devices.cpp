// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tutti/cli/devices/device_report.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/xla/pjrt/find_plugin.hpp"

namespace tutti::cli {
namespace {

constexpr const char* plugin_variable = "TUTTI_PJRT_PLUGIN";
constexpr const char* environment_variable = "VIRTUAL_ENV";
constexpr const char* environment_here = ".venv";

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there is one thread yet
  return value ? value : "";
}

/// The Python environments that may have plugins: the active one, then the one of this folder.
std::vector<std::string> environments() {
  const std::string active = variable(environment_variable);
  std::error_code is_missing;
  if (active.empty() || std::filesystem::equivalent(active, environment_here, is_missing))
    return {environment_here};
  return {active, environment_here};
}

}  // namespace

int devices(const DevicesArguments& arguments) {
  const std::vector<std::string> places = environments();
  const std::string named = variable(plugin_variable);
  std::vector<Candidate> candidates{{"--plugin", arguments.plugin}, {plugin_variable, named}};
  for (std::string& path : xla::find_plugins(places)) candidates.push_back({"found", std::move(path)});
  const auto client =
      xla::Client::create(xla::Plugin::open(xla::choose_plugin(arguments.plugin, named, places)));
  const DeviceReport report = report_of(*client, std::move(candidates));
  if (arguments.json)
    fmt::print("{}\n", device_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else fmt::print("{}", device_text(report));
  return 0;
}

}  // namespace tutti::cli
