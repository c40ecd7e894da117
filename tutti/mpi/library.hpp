// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <mutex>
#include <string_view>

#include "tutti/base/inside.hpp"

namespace tutti {

/// Initialises MPI unless somebody has done so. Only then it is finalised when the process ends with status
/// 0. Throws R004 after MPI_Finalize.
void initialise_mpi();

/// From now on MPI is not finalised when the process ends: MPI_Finalize would wait for processes that have
/// failed.
void leave_mpi_unfinalised();
/// The same, where another process has failed and this one has not: when it ends with status 0, it waits up
/// to ten seconds for the launcher to end the job. The job's status and last words are then those of the
/// process that has failed.
void await_end_of_job();

/// True if this thread may call functions of MPI: it is initialised, and allows calls from this thread.
bool may_call_mpi();

/// Throws R007 with MPI's own text unless `status`, which `function` has returned, is MPI_SUCCESS.
void require_mpi_success(int status, std::string_view function);
/// MPI's own text for a status.
std::string mpi_text(int status);

/// Held while a thread calls functions of MPI. Where MPI takes calls from several threads one after the
/// other, it is a lock of this process; the user's own calls are outside of it.
class MpiTurn {
 public:
  /// Throws R004 if MPI is finalised, or takes calls from its main thread alone and this is another one.
  MpiTurn();

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace tutti
