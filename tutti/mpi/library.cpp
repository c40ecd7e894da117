// SPDX-License-Identifier: Apache-2.0
#include "tutti/mpi/library.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "tutti/base/fork.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

std::mutex initialising, one_at_a_time;
std::atomic<bool> stays_unfinalised = false, awaits_end_of_job = false;

/// The process that has initialised MPI. The child of a fork must not finalise it.
const MadeHere& process_of_mpi() {
  static const MadeHere here;
  return here;
}

bool is_initialised() {
  int is_true = 0;
  MPI_Initialized(&is_true);
  return is_true != 0;
}

bool is_finalised() {
  int is_true = 0;
  MPI_Finalized(&is_true);
  return is_true != 0;
}

int thread_level() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level;
}

bool is_main_thread() {
  int is_true = 0;
  MPI_Is_thread_main(&is_true);
  return is_true != 0;
}

/// MPI_THREAD_SINGLE is taken as MPI_THREAD_FUNNELED: the threads of a team call no function of MPI.
bool may_call_at(int level) { return level >= MPI_THREAD_SERIALIZED || is_main_thread(); }

/// Not after an error: MPI_Finalize would wait for processes that wait for this one. mpirun ends those.
void finalise(int status, void*) {
  if (status != 0 || !process_of_mpi().is_true() || is_finalised()) return;
  if (awaits_end_of_job) std::this_thread::sleep_for(std::chrono::seconds(10));
  if (!stays_unfinalised) MPI_Finalize();
}

}  // namespace

void initialise_mpi() {
  const std::lock_guard lock(initialising);
  require(!is_finalised(), Code::device, "MPI is finalised already; open the machine before MPI_Finalize");
  if (is_initialised()) return;
  int level = MPI_THREAD_SINGLE;
  require_mpi_success(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
  process_of_mpi();
  on_exit(finalise, nullptr);  // if it has no room, mpirun says that MPI was not finalised
}

void leave_mpi_unfinalised() { stays_unfinalised = true; }
void await_end_of_job() { stays_unfinalised = awaits_end_of_job = true; }

bool may_call_mpi() { return is_initialised() && !is_finalised() && may_call_at(thread_level()); }

std::string mpi_text(int status) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(status, text, &length) != MPI_SUCCESS)
    return "unknown error " + std::to_string(status);
  return {text, static_cast<std::size_t>(length)};
}

void require_mpi_success(int status, std::string_view function) {
  if (status != MPI_SUCCESS) fail(Code::peer, "{}: {}", function, mpi_text(status));
}

MpiTurn::MpiTurn() {
  require(!is_finalised(), Code::device,
          "MPI is finalised; close the machines of open_mpi before MPI_Finalize");
  const int level = thread_level();
  require(may_call_at(level), Code::device,
          "MPI was initialised with {}, so only the thread that did so may open a machine and use it; call "
          "it there, "
          "or initialise MPI with MPI_Init_thread and MPI_THREAD_MULTIPLE",
          level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED");
  if (level == MPI_THREAD_SERIALIZED) lock_ = std::unique_lock(one_at_a_time);
}

}  // namespace tutti
