// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/mpi/mpi_traps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tutti/base/counted.hpp"
#include "tutti/base/inside.hpp"

namespace tutti::cli {
namespace {

using Traps = std::vector<std::string>;

std::string processes_text(std::size_t count) {
  return counted(static_cast<std::int64_t>(count), "process", "processes");
}

/// mpirun of another MPI starts processes that do not find each other: each is alone.
void find_lost_processes(const MpiReport& report, Traps& traps) {
  const auto seen = static_cast<int>(report.processes.size());
  if (report.started <= seen) return;
  traps.push_back(fmt::format(
      "{} processes were started, and MPI sees {}: the launcher belongs to another MPI; take the mpirun of "
      "{}, or with Slurm srun --mpi=pmix",
      report.started, seen, to_string(report.processes[0].runs_with)));
}

/// The first process that says something else than process 0; 0 if there is none.
std::size_t first_other(const MpiReport& report, const std::function<std::string(const MpiProcess&)>& fact) {
  for (std::size_t i = 1; i < report.processes.size(); ++i)
    if (fact(report.processes[i]) != fact(report.processes[0])) return i;
  return 0;
}

void find_differences(const MpiReport& report, Traps& traps) {
  const auto tutti_of = [](const MpiProcess& process) { return "Tutti " + process.tutti; };
  const auto mpi_of = [](const MpiProcess& process) { return to_string(process.runs_with); };
  const auto kernels_of = [](const MpiProcess& process) { return process.instruction_set + " kernels"; };
  const auto find = [&](const std::function<std::string(const MpiProcess&)>& fact, std::string_view advice) {
    const std::size_t other = first_other(report, fact);
    if (other == 0) return;
    const MpiProcess& process = report.processes[other];
    traps.push_back(fmt::format("process {} on host {} has {}, process 0 has {}: {}", other, process.host,
                                fact(process), fact(report.processes[0]), advice));
  };
  find(tutti_of, "open_mpi refuses them (R007); install one version on all hosts");
  find(mpi_of, "their messages may not fit; load the same MPI on all hosts");
  find(kernels_of, "open_mpi refuses them (R007); take hosts with one kind of processor");
}

/// "Open MPI 4" of "Open MPI 4.1.4".
std::string major_of(const std::string& library) {
  const std::size_t digit = library.find_first_of("0123456789");
  return library.substr(0, std::min(library.size(), library.find_first_not_of("0123456789", digit)));
}

void find_another_major(const MpiReport& report, Traps& traps) {
  for (const MpiProcess& process : report.processes) {
    const std::string &built = process.built_with.library, &runs = process.runs_with.library;
    if (built.empty() || major_of(built) == major_of(runs)) continue;
    traps.push_back(
        fmt::format("on host {} Tutti was built with {} and runs with {}: their calls may differ; load the "
                    "MPI that it was built with, or build Tutti again",
                    process.host, built, runs));
    return;
  }
}

void find_few_threads(const MpiReport& report, Traps& traps) {
  const MpiThreads threads = lowest_threads(report);
  if (threads >= MpiThreads::serialized) return;
  traps.push_back(
      fmt::format("MPI gives {}: only the main thread of a process may use a machine, and nothing travels "
                  "while it computes; take an MPI that gives MPI_THREAD_MULTIPLE",
                  name(threads)));
}

int bound_processors(const MpiReport& report, const MpiHost& host) {
  int sum = 0;
  for (const int process : host.processes)
    sum += report.processes[static_cast<std::size_t>(process)].processors;
  return sum;
}

/// Bindings that leave processors idle, and hosts with too many processes.
void find_bindings(const MpiReport& report, Traps& traps) {
  for (const MpiHost& host : hosts_of(report)) {
    const int bound = bound_processors(report, host);
    if (bound < host.processors)
      traps.push_back(fmt::format(
          "host {}: {} may use {} of {} processors (Open MPI binds each process to one core at -n 1 and -n "
          "2); "
          "say mpirun --bind-to none; for one process per host, with MachineOptions::workers, --map-by node "
          "--bind-to none",
          host.name, processes_text(host.processes.size()), bound, host.processors));
    if (std::ssize(host.processes) > host.processors)
      traps.push_back(fmt::format(
          "host {}: {} on {} take turns; start fewer there, or set OMPI_MCA_mpi_yield_when_idle=1", host.name,
          processes_text(host.processes.size()), counted(host.processors, "processor")));
  }
}

/// Only for several hosts: on one host, several processes are usually a trial.
void add_hint(const MpiReport& report, Traps& traps) {
  const std::vector<MpiHost> hosts = hosts_of(report);
  if (hosts.size() < 2) return;
  const auto host = std::ranges::find_if(hosts, [](const MpiHost& one) { return one.processes.size() > 1; });
  if (host == hosts.end()) return;
  traps.push_back(fmt::format("hint: host {} has {}; one per host with MachineOptions::workers sends less: "
                              "mpirun --map-by ppr:1:node "
                              "--bind-to none",
                              host->name, processes_text(host->processes.size())));
}

}  // namespace

std::vector<std::string> traps_of(const MpiReport& report) {
  Traps traps;
  find_lost_processes(report, traps);
  find_differences(report, traps);
  find_another_major(report, traps);
  find_few_threads(report, traps);
  find_bindings(report, traps);
  add_hint(report, traps);
  return traps;
}

}  // namespace tutti::cli
