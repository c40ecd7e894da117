// SPDX-License-Identifier: Apache-2.0
// The facts that `tutti mpi-info` prints. Nothing here needs MPI.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/cli/mpi/mpi_boxes.hpp"

namespace tutti::cli {

/// How MPI lets the threads of a process call it.
enum class MpiThreads { single, funneled, serialized, multiple };

struct MpiVersion {
  std::string library;   // "Open MPI 4.1.4"; empty: not known
  std::string standard;  // "3.1"
};

/// The facts about one process.
struct MpiProcess {
  std::string host;
  int processors = 1;          // that it may use
  int processors_of_host = 1;  // that it could be bound to
  std::string instruction_set;
  std::string tutti;  // version
  MpiVersion built_with, runs_with;
  MpiThreads threads = MpiThreads::multiple;
};

/// A link between process 0 and another one, as measured.
struct MpiLink {
  int process = 0;
  double latency_us = 0;     // half the round trip of 8 bytes
  double gb_per_second = 0;  // of 4 MiB
};

struct MpiReport {
  std::vector<MpiProcess> processes;  // by number
  int started = 1;                    // processes, as the launcher says
  std::vector<MpiLink> links;
  std::string mesh;           // empty: none
  std::vector<MpiBox> boxes;  // of the processes, if there is a mesh
};

struct MpiHost {
  std::string name;
  std::vector<int> processes;
  int processors = 1;
};
/// The hosts in the order of their first processes.
std::vector<MpiHost> hosts_of(const MpiReport& report);
/// The level that all processes have.
MpiThreads lowest_threads(const MpiReport& report);

/// "MPI_THREAD_MULTIPLE"
std::string_view name(MpiThreads threads);
/// "Open MPI 4.1.4 (MPI 3.1)"; if the library is not known: "MPI 3.1".
std::string to_string(const MpiVersion& version);
/// Shortens the text of MPI_Get_library_version: "Open MPI v4.1.4, package: .." to "Open MPI 4.1.4".
std::string short_mpi_version(std::string_view text);

std::string mpi_report_text(const MpiReport& report);
nlohmann::ordered_json mpi_report_json(const MpiReport& report);

}  // namespace tutti::cli
