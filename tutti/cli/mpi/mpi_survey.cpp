// SPDX-License-Identifier: Apache-2.0
// All calls of MPI for `tutti mpi-info`, except those that measure links.
#include "tutti/cli/mpi/mpi_survey.hpp"

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

#ifdef TUTTI_HAS_MPI
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <thread>

#include "tutti/cli/mpi/mpi_links.hpp"
#include "tutti/cli/words/machine.hpp"
#include "tutti/mpi/library.hpp"
#include "tutti/tensor/loops/instruction_set.hpp"
#include "tutti/version.hpp"
#endif

namespace tutti::cli {

#ifdef TUTTI_HAS_MPI
namespace {

using Json = nlohmann::json;

/// The facts of a process travel as JSON, so that processes of other versions of Tutti can be read, too.
constexpr std::size_t bytes_of_facts = 2048;
using Facts = std::array<char, bytes_of_facts>;

int processors_of_this_thread() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than a cpu_set_t has room for
}

/// Asks for all processors, counts those that the system gives, and takes the former ones again. The system
/// does not give what a container or a batch system withholds.
int processors_of_this_host() {
  cpu_set_t former, all;
  if (sched_getaffinity(0, sizeof former, &former) != 0) return processors_of_this_thread();
  CPU_ZERO(&all);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) CPU_SET(processor, &all);
  if (sched_setaffinity(0, sizeof all, &all) != 0) return processors_of_this_thread();
  const int count = processors_of_this_thread();
  sched_setaffinity(0, sizeof former, &former);
  return count;
}

std::string host_name() {
  char text[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  require_mpi_success(MPI_Get_processor_name(text, &length), "MPI_Get_processor_name");
  return {text, static_cast<std::size_t>(length)};
}

MpiVersion version_that_was_built_with() {
  MpiVersion version{"", fmt::format("{}.{}", MPI_VERSION, MPI_SUBVERSION)};
#ifdef OMPI_MAJOR_VERSION
  version.library =
      fmt::format("Open MPI {}.{}.{}", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
#endif
  return version;
}

MpiVersion version_that_runs() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, major = 0, minor = 0;
  require_mpi_success(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  require_mpi_success(MPI_Get_version(&major, &minor), "MPI_Get_version");
  return {short_mpi_version({text, static_cast<std::size_t>(length)}), fmt::format("{}.{}", major, minor)};
}

Json version_json(const MpiVersion& version) { return {version.library.substr(0, 200), version.standard}; }

Json own_facts() {
  int level = MPI_THREAD_SINGLE;
  require_mpi_success(MPI_Query_thread(&level), "MPI_Query_thread");
  return {{"host", host_name()},
          {"processors", processors_of_this_thread()},
          {"processors_of_host", processors_of_this_host()},
          {"instruction_set", instruction_set()},
          {"tutti", version_text},
          {"built_with", version_json(version_that_was_built_with())},
          {"runs_with", version_json(version_that_runs())},
          {"threads", level}};
}

MpiThreads threads_of(int level) {
  if (level >= MPI_THREAD_MULTIPLE) return MpiThreads::multiple;
  if (level >= MPI_THREAD_SERIALIZED) return MpiThreads::serialized;
  return level >= MPI_THREAD_FUNNELED ? MpiThreads::funneled : MpiThreads::single;
}

MpiVersion version_of(const Json& facts) {
  return {facts.at(0).get<std::string>(), facts.at(1).get<std::string>()};
}

MpiProcess process_of(const Facts& text) {
  const Json facts = Json::parse(text.data());  // zeros follow the text
  return {.host = facts.at("host"),
          .processors = facts.at("processors"),
          .processors_of_host = facts.at("processors_of_host"),
          .instruction_set = facts.at("instruction_set"),
          .tutti = facts.at("tutti"),
          .built_with = version_of(facts.at("built_with")),
          .runs_with = version_of(facts.at("runs_with")),
          .threads = threads_of(facts.at("threads"))};
}

/// All processes, on process 0; none on the others.
std::vector<MpiProcess> gathered(int self, int count) {
  Facts own{};
  const std::string text = own_facts().dump(-1, ' ', true, Json::error_handler_t::replace);
  ensure(text.size() < own.size(), "{} bytes of facts of a process", text.size());
  std::ranges::copy(text, own.begin());
  std::vector<Facts> all(self == 0 ? static_cast<std::size_t>(count) : 0);
  require_mpi_success(MPI_Gather(own.data(), bytes_of_facts, MPI_CHAR, all.data(), bytes_of_facts, MPI_CHAR,
                                 0, MPI_COMM_WORLD),
                      "MPI_Gather");
  std::vector<MpiProcess> processes;
  for (const Facts& facts : all) processes.push_back(process_of(facts));
  return processes;
}

}  // namespace

std::optional<MpiReport> survey_of_mpi() {
  initialise_mpi();
  require_mpi_success(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int self = 0, count = 1;
  require_mpi_success(MPI_Comm_rank(MPI_COMM_WORLD, &self), "MPI_Comm_rank");
  require_mpi_success(MPI_Comm_size(MPI_COMM_WORLD, &count), "MPI_Comm_size");
  MpiReport report;
  report.processes = gathered(self, count);
  report.started = started_processes();
  report.links = measured_links(report.processes, self);
  if (self != 0) return std::nullopt;
  return report;
}

#else

std::optional<MpiReport> survey_of_mpi() {
  fail(Code::device,
       "mpi-info: this program was built without MPI; install libopenmpi-dev and build it again");
}

#endif

}  // namespace tutti::cli
