// SPDX-License-Identifier: Apache-2.0
// Machines of several processes, in the library tutti::mpi: #include <tutti/mpi/open_mpi.hpp>
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "tutti/run/machine.hpp"

namespace tutti {

/// Options of open_mpi.
struct MpiOptions {
  /// Options for the devices of this process. `storage`, `check_assumptions` and `check_nans` are equal on
  /// all processes. Each process writes a trace of its own: t.json, t.1.json, t.2.json. When all have closed
  /// their machines within a second of process 0, that one puts those that it can read into t.json.
  MachineOptions machine = {};
  /// Into how many parts processes divide axes: {{"model", 2}}. Axes that are not named stay whole. Empty:
  /// the slowest axes are divided first, so that neighbours on the last axes share a process.
  std::vector<std::pair<std::string, int>> split = {};
  /// How long a process waits for others before it throws R007, also while they open the machine. 0: for
  /// ever. For one that says that it is at the same place, where large messages travel, ten times as long.
  double limit_seconds = 60;
  /// Writes a line to standard error when this process is told to end (SIGTERM) while it waits for others:
  /// "process 0 was told to end while it waited for process 1 in all_reduce, train.cpp:29". mpirun tells all
  /// processes to end when one is killed. Does nothing where the program handles SIGTERM itself.
  bool report_when_ended = false;
};

/// Opens a machine that the processes of an MPI job share. Each process computes for a box of the mesh's
/// devices: the same axes with smaller sizes. Results have the same bits as those of open_local. Without
/// mpirun, this is a machine of one process.
///
/// All processes run the same program: they open machines, compile, call and place in one order, from one
/// thread each, or from threads that take turns in the same order. A machine for one process alone is that of
/// open_local. Machine::process() says which process this is; only one should print a result or write a file.
///
/// An array on the host is an argument: each process passes the same array and takes its part, without a
/// message. With Machine::from_shards a process passes only its parts. An array of this machine that lies in
/// another layout than the program's is moved in each call; Machine::place moves it once.
/// A process can read what its own devices hold: whole arrays where the out-spec is P(), else single parts
/// with shard(device). machine.place(x, P()) gives all of x to all processes.
///
/// MPI is initialised with MPI_THREAD_MULTIPLE if nobody has done so, and then finalised when the process
/// ends with status 0. With MPI_THREAD_SINGLE or MPI_THREAD_FUNNELED only MPI's main thread may use the
/// machine; with MPI_THREAD_SERIALIZED the user's own calls of MPI must not meet those of the machine. It has
/// communicators of its own, so the user's messages are the user's.
///
/// Throws R007 on all processes if they open other machines, by mesh, split, options, version or processor.
/// The program's later steps throw it, too: if processes compile other programs, or if one fails or does not
/// come. After a failure the machine is of no use, and the process must call no function of MPI: messages may
/// be on their way. MPI is not finalised then, because MPI_Finalize would wait for the process that has
/// failed. Throws R004 if the number of processes does not divide the mesh, the mesh has devices of its own,
/// MPI is finalised already, or its main thread is another one; T001 for a split of an axis that the mesh has
/// not; and the errors of open_local.
Machine open_mpi(const Mesh& mesh, const MpiOptions& options = {}, Where where = Where::here());
/// The same for the processes of a communicator, which all call it. The user may free it afterwards.
/// Throws R004 for MPI_COMM_NULL and for a communicator between two groups, too.
Machine open_mpi(MPI_Comm communicator, const Mesh& mesh, const MpiOptions& options = {},
                 Where where = Where::here());

}  // namespace tutti
