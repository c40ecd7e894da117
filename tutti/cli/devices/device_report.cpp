// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/devices/device_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tutti/base/counted.hpp"
#include "tutti/base/overloaded.hpp"
#include "tutti/cli/words/table.hpp"

namespace tutti::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Joins the lines of a plugin's text. Platform versions of TPUs have several lines.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_printable = static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
    if (is_printable) line += c;
    else if (!line.empty() && line.back() != ' ') line += c == '\n' ? "; " : " ";
  }
  line.erase(line.find_last_not_of("; ") + 1);
  return line;
}

std::string memory_text(const ListedDevice& listed) {
  if (!listed.device.is_addressable) return "of another process";
  if (!listed.memory) return "-";
  const std::string used = in_bytes(listed.memory->in_use);
  return listed.memory->limit ? used + " of " + in_bytes(*listed.memory->limit) : used;
}

std::string attributes_text(const xla::Values& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) {
    const std::string shown = one_line(xla::to_string(value));
    if (!shown.empty()) text += (text.empty() ? "" : ", ") + one_line(name) + " " + shown;
  }
  return text.empty() ? "-" : text;
}

std::string device_table(const DeviceReport& report) {
  std::vector<Row> rows{{"id", "process", "kind", "memory in use", "attributes"}};
  for (const ListedDevice& listed : report.devices)
    rows.push_back({std::to_string(listed.device.id), std::to_string(listed.device.process),
                    one_line(listed.device.kind), memory_text(listed),
                    attributes_text(listed.device.attributes)});
  return table(rows, 2);
}

std::string candidate_table(const DeviceReport& report) {
  std::vector<Row> rows;
  bool is_open = false;
  for (const Candidate& candidate : report.candidates) {
    const bool is_first = !is_open && !candidate.path.empty();
    is_open |= is_first;
    rows.push_back({is_first ? "*" : " ", candidate.source, candidate.path.empty() ? "-" : candidate.path});
  }
  return table(rows, 0);
}

std::string versions_text(const DeviceReport& report) {
  std::string text = "PJRT " + report.pjrt;
  if (!report.stablehlo.empty()) text += ", StableHLO ";
  if (!report.oldest_stablehlo.empty()) text += report.oldest_stablehlo + " to ";
  text += report.stablehlo;
  return report.xla.empty() ? text : text + ", XLA " + report.xla;
}

std::string platform_text(const DeviceReport& report) {
  const std::string name = one_line(report.platform), version = one_line(report.platform_version);
  return version.empty() || version == name ? name : fmt::format("{} ({})", name, version);
}

Json value_json(const xla::Value& value) {
  return std::visit([](const auto& content) { return Json(content); }, value);
}

Json number_json(const std::optional<std::int64_t>& number) { return number ? Json(*number) : Json(nullptr); }

Json listed_json(const ListedDevice& listed) {
  Json attributes = Json::object();
  for (const auto& [name, value] : listed.device.attributes) attributes[name] = value_json(value);
  Json memory(nullptr);
  if (listed.memory)
    memory = {{"in_use", listed.memory->in_use},
              {"peak", number_json(listed.memory->peak)},
              {"limit", number_json(listed.memory->limit)}};
  return {{"id", listed.device.id},
          {"process", listed.device.process},
          {"addressable", listed.device.is_addressable},
          {"kind", listed.device.kind},
          {"memory", std::move(memory)},
          {"attributes", std::move(attributes)}};
}

}  // namespace

DeviceReport report_of(const xla::Client& client, std::vector<Candidate> candidates) {
  const xla::Plugin& plugin = client.plugin();
  DeviceReport report{.candidates = std::move(candidates),
                      .plugin = plugin.path(),
                      .pjrt = fmt::format("{}.{}", xla::only_major, plugin.minor_version()),
                      .stablehlo = plugin.stablehlo(),
                      .oldest_stablehlo = plugin.oldest_stablehlo(),
                      .xla = "",
                      .platform = client.platform(),
                      .platform_version = client.platform_version(),
                      .process = client.process(),
                      .devices = {}};
  for (const auto& [name, value] : plugin.attributes())
    if (name == "xla_version") report.xla = xla::to_string(value);
  for (const xla::DeviceInfo& device : client.devices())
    report.devices.push_back({device, client.memory(device.id)});
  return report;
}

std::string device_text(const DeviceReport& report) {
  std::string text = fmt::format("plugin:    {}\n", report.plugin);
  text += fmt::format("versions:  {}\n", versions_text(report));
  text += fmt::format("platform:  {}\n", platform_text(report));
  text += fmt::format("process:   {}, drives {} of {}\n\n", report.process,
                      std::ranges::count_if(report.devices,
                                            [](const auto& listed) { return listed.device.is_addressable; }),
                      counted(std::ssize(report.devices), "device"));
  text += device_table(report);
  return text + "\nplugins by priority, * is opened:\n" + candidate_table(report);
}

Json device_json(const DeviceReport& report) {
  Json devices = Json::array(), candidates = Json::array();
  for (const ListedDevice& listed : report.devices) devices.push_back(listed_json(listed));
  for (const Candidate& candidate : report.candidates)
    candidates.push_back({{"source", candidate.source}, {"path", candidate.path}});
  return {{"plugin", report.plugin},
          {"versions",
           {{"pjrt", report.pjrt},
            {"stablehlo", report.stablehlo},
            {"oldest_stablehlo", report.oldest_stablehlo},
            {"xla", report.xla}}},
          {"platform", report.platform},
          {"platform_version", report.platform_version},
          {"process", report.process},
          {"devices", std::move(devices)},
          {"plugins", std::move(candidates)}};
}

}  // namespace tutti::cli
