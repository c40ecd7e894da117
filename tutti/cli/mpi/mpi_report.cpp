// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/mpi/mpi_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tutti/cli/mpi/mpi_traps.hpp"
#include "tutti/cli/words/table.hpp"

namespace tutti::cli {
namespace {

using Json = nlohmann::ordered_json;

const MpiProcess& process_of(const MpiReport& report, int number) {
  return report.processes[static_cast<std::size_t>(number)];
}

/// The consequence of a level for a machine; empty for the highest.
std::string_view meaning(MpiThreads threads) {
  switch (threads) {
    case MpiThreads::single:
    case MpiThreads::funneled: return ": only the main thread of a process may use a machine";
    case MpiThreads::serialized: return ": works; calls from several threads take turns";
    case MpiThreads::multiple: return "";
  }
  return "";
}

std::string versions_text(const MpiProcess& process) {
  return fmt::format("{}, built with {}", to_string(process.runs_with), to_string(process.built_with));
}

std::string count_text(const MpiReport& report) {
  const std::size_t hosts = hosts_of(report).size();
  if (report.processes.size() == 1)
    return report.started > 1 ? "1" : "1; to start more: mpirun -n 4 tutti mpi-info";
  return fmt::format("{} on {} {}", report.processes.size(), hosts, hosts == 1 ? "host" : "hosts");
}

std::string process_table(const MpiReport& report) {
  const bool has_mesh = !report.boxes.empty();
  std::vector<Row> rows{{"process", "host", "processors", "kernels"}};
  if (has_mesh) rows[0].emplace_back("devices");
  for (const MpiHost& host : hosts_of(report))
    for (const int number : host.processes) {
      const MpiProcess& process = process_of(report, number);
      rows.push_back({std::to_string(number), host.name,
                      fmt::format("{} of {}", process.processors, process.processors_of_host),
                      process.instruction_set});
      if (has_mesh) rows.back().push_back(to_string(report.boxes[static_cast<std::size_t>(number)]));
    }
  return table(rows, 1);
}

bool is_on_the_host_of_0(const MpiReport& report, int process) {
  return process_of(report, process).host == process_of(report, 0).host;
}

std::string link_table(const MpiReport& report) {
  std::vector<Row> rows{{"link", "", "8 bytes", "4 MiB"}};
  for (const MpiLink& link : report.links)
    rows.push_back({fmt::format("0 to {}", link.process),
                    is_on_the_host_of_0(report, link.process) ? "same host" : "other host",
                    fmt::format("{:.2f} us", link.latency_us),
                    fmt::format("{:.2f} GB/s", link.gb_per_second)});
  return table(rows, 0);
}

std::string traps_text(const MpiReport& report) {
  const std::vector<std::string> traps = traps_of(report);
  if (traps.empty()) return "traps:     none found\n";
  std::string text = "traps:\n";
  for (const std::string& trap : traps) text += "- " + trap + "\n";
  return text;
}

Json version_json(const MpiVersion& version) {
  return {{"library", version.library.empty() ? Json(nullptr) : Json(version.library)},
          {"standard", version.standard}};
}

Json box_json(const MpiBox& box) {
  Json ranges = Json::object();
  for (const MpiRange& range : box) ranges[range.axis] = {{"first", range.first}, {"size", range.size}};
  return ranges;
}

Json process_json(const MpiReport& report, int number) {
  const MpiProcess& process = process_of(report, number);
  return {{"process", number},
          {"host", process.host},
          {"processors", process.processors},
          {"processors_of_host", process.processors_of_host},
          {"instruction_set", process.instruction_set},
          {"tutti", process.tutti},
          {"mpi", version_json(process.runs_with)},
          {"built_with", version_json(process.built_with)},
          {"threads", name(process.threads)},
          {"devices",
           report.boxes.empty() ? Json(nullptr) : box_json(report.boxes[static_cast<std::size_t>(number)])}};
}

}  // namespace

std::vector<MpiHost> hosts_of(const MpiReport& report) {
  std::vector<MpiHost> hosts;
  for (int number = 0; number < std::ssize(report.processes); ++number) {
    const MpiProcess& process = process_of(report, number);
    auto host = std::ranges::find(hosts, process.host, &MpiHost::name);
    if (host == hosts.end()) host = hosts.insert(hosts.end(), {process.host, {}, 1});
    host->processes.push_back(number);
    host->processors = std::max(host->processors, process.processors_of_host);
  }
  return hosts;
}

MpiThreads lowest_threads(const MpiReport& report) {
  return std::ranges::min_element(report.processes, {}, &MpiProcess::threads)->threads;
}

std::string_view name(MpiThreads threads) {
  switch (threads) {
    case MpiThreads::single: return "MPI_THREAD_SINGLE";
    case MpiThreads::funneled: return "MPI_THREAD_FUNNELED";
    case MpiThreads::serialized: return "MPI_THREAD_SERIALIZED";
    case MpiThreads::multiple: return "MPI_THREAD_MULTIPLE";
  }
  return "";
}

std::string to_string(const MpiVersion& version) {
  if (version.library.empty()) return "MPI " + version.standard;
  return fmt::format("{} (MPI {})", version.library, version.standard);
}

std::string short_mpi_version(std::string_view text) {
  std::string words;
  for (const char c : text.substr(0, text.find_first_of(",\n"))) {
    const bool is_printable = static_cast<unsigned char>(c) > ' ' && c != '\x7f';
    if (is_printable) words += c;
    else if (!words.empty() && words.back() != ' ') words += ' ';
  }
  words.erase(words.find_last_not_of(' ') + 1);
  const std::size_t v = words.find(" v");  // of "Open MPI v4.1.4"
  const bool has_digit = v != std::string::npos && words.find_first_of("0123456789", v) == v + 2;
  return has_digit ? words.erase(v + 1, 1) : words;
}

std::string mpi_report_text(const MpiReport& report) {
  const MpiThreads threads = lowest_threads(report);
  std::string text = fmt::format("tutti:     {}\n", process_of(report, 0).tutti);
  text += fmt::format("MPI:       {}\n", versions_text(process_of(report, 0)));
  text += fmt::format("threads:   {}{}\n", name(threads), meaning(threads));
  text += fmt::format("processes: {}\n", count_text(report));
  if (!report.mesh.empty()) text += fmt::format("mesh:      {}\n", report.mesh);
  text += "\n" + process_table(report) + "\n";
  if (!report.links.empty()) text += link_table(report) + "\n";
  return text + traps_text(report);
}

Json mpi_report_json(const MpiReport& report) {
  Json processes = Json::array(), links = Json::array();
  for (int number = 0; number < std::ssize(report.processes); ++number)
    processes.push_back(process_json(report, number));
  for (const MpiLink& link : report.links)
    links.push_back({{"process", link.process},
                     {"is_on_same_host", is_on_the_host_of_0(report, link.process)},
                     {"latency_us", link.latency_us},
                     {"gb_per_second", link.gb_per_second}});
  return {{"mesh", report.mesh.empty() ? Json(nullptr) : Json(report.mesh)},
          {"processes", std::move(processes)},
          {"links", std::move(links)},
          {"traps", traps_of(report)}};
}

}  // namespace tutti::cli
