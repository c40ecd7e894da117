// SPDX-License-Identifier: Apache-2.0
#include "tutti/mpi/open_mpi.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/agreement.hpp"
#include "tutti/devices/processes.hpp"
#include "tutti/mpi/library.hpp"
#include "tutti/mpi/transport.hpp"
#include "tutti/run/local_backend.hpp"
#include "tutti/tensor/loops/instruction_set.hpp"
#include "tutti/version.hpp"

namespace tutti {
namespace {

/// How many processes a communicator has.
int processes_of(MPI_Comm communicator) {
  const MpiTurn turn;
  require(communicator != MPI_COMM_NULL, Code::device,
          "the communicator is MPI_COMM_NULL; only processes that belong to one open a machine of it");
  int has_two_groups = 0, count = 0;
  require_mpi_success(MPI_Comm_test_inter(communicator, &has_two_groups), "MPI_Comm_test_inter");
  require(
      has_two_groups == 0, Code::device,
      "the communicator goes from one group of processes to another; merge them with MPI_Intercomm_merge");
  require_mpi_success(MPI_Comm_size(communicator, &count), "MPI_Comm_size");
  return count;
}

/// All that decides about results, and about what processes send each other.
std::string description_of(const Mesh& mesh, const MpiOptions& options) {
  std::string split;
  for (const auto& [axis, parts] : options.split)
    split += fmt::format("{}{}={}", split.empty() ? "" : ",", axis, parts);
  const MachineOptions& machine = options.machine;
  return fmt::format(
      "version {}\ninstruction set {}\nmesh {}\nsplit {}\nstorage {}\ncheck_assumptions {}\ncheck_nans {}\n",
      version_text, instruction_set(), to_string(mesh), split.empty() ? "by sizes" : split,
      machine.storage == Storage::by_type ? "by_type" : "per_device", machine.check_assumptions,
      machine.check_nans);
}

Machine opened(MPI_Comm communicator, const Mesh& mesh, const MpiOptions& options) {
  initialise_mpi();
  const int count = processes_of(communicator);
  std::shared_ptr<LocalBackend> backend;
  const auto make = [&](const std::shared_ptr<Transport>& transport, int self, std::int64_t job) {
    require(options.limit_seconds >= 0, Code::device,
            "limit_seconds {}; ask for more than 0, or 0 to wait for ever", options.limit_seconds);
    require(mesh.is_in_device_order(), Code::device,
            "{} is a mesh with devices of its own; open a mesh in device order, and place arrays on this one",
            mesh);
    backend = std::make_shared<LocalBackend>(Processes::of(mesh, count, self, options.split), transport,
                                             options.machine, job);
  };
  if (count == 1) {
    make(nullptr, 0, 0);
  } else {
    const auto transport = std::make_shared<MpiTransport>(communicator, options.limit_seconds);
    if (options.report_when_ended) transport->report_when_ended();
    // If one process refuses, all refuse.
    require_agreement(*transport, description_of(mesh, options), "opens another machine than");
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::string job = told_by(*transport, 0, std::to_string(now / std::chrono::nanoseconds(1)));
    require_same_outcome(*transport, [&] { make(transport, transport->self(), std::stoll(job)); });
  }
  return Machine(backend);
}

}  // namespace

Machine open_mpi(MPI_Comm communicator, const Mesh& mesh, const MpiOptions& options, Where where) try {
  return opened(communicator, mesh, options);
} catch (const Error& error) {
  throw error.at(where, "open_mpi");
}

Machine open_mpi(const Mesh& mesh, const MpiOptions& options, Where where) {
  return open_mpi(MPI_COMM_WORLD, mesh, options, where);
}

}  // namespace tutti
