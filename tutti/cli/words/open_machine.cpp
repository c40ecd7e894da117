// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/words/open_machine.hpp"

#include <cstdio>

#include "tutti/base/require.hpp"
#include "tutti/xla/open_xla.hpp"
#ifdef TUTTI_HAS_MPI
#include "tutti/mpi/open_mpi.hpp"
#endif

namespace tutti::cli {
namespace {

// Only process 0 prints.
#ifdef TUTTI_HAS_MPI
Machine open_mpi_machine(const Mesh& mesh, const MachineOptions& options) {
  Machine machine = open_mpi(mesh, {.machine = options, .report_when_ended = true}, Where{});
  if (machine.process() > 0)
    ops::require(std::freopen("/dev/null", "w", stdout) != nullptr, Code::file,
                 "'/dev/null' cannot be opened");
  return machine;
}
#else
[[noreturn]] Machine open_mpi_machine(const Mesh&, const MachineOptions&) {
  ops::fail(Code::device,
            "--machine mpi: this program was built without MPI; install libopenmpi-dev and build it again");
}
#endif

}  // namespace

Machine open_machine(const MachineChoice& choice, const Mesh& mesh, const MachineOptions& options) {
  if (const auto* xla = std::get_if<XlaMachine>(&choice)) {
    ops::require(options.workers == 0, Code::usage,
                 "--workers {}: a plugin has threads of its own; leave it out with --machine xla",
                 options.workers);
    ops::require(
        !options.check_nans && !options.check_assumptions && options.storage == Storage::by_type, Code::usage,
        "--check-nans, --check-assumptions and --per-device look at virtual devices; say --machine local");
    return open_xla(mesh, {.plugin = xla->plugin, .trace = options.trace}, Where{});
  }
  if (std::holds_alternative<MpiMachine>(choice)) return open_mpi_machine(mesh, options);
  return open_local(mesh, options, Where{});
}

}  // namespace tutti::cli
