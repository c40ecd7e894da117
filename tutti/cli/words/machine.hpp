// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

namespace tutti::cli {

inline constexpr const char* machine_help = "where to run: local; mpi, as one of the processes that mpirun "
                                            "starts; or xla:FILE for the devices of a PJRT plugin, "
                                            "where xla alone finds the plugin itself";

struct LocalMachine {};  // virtual devices of this process
struct MpiMachine {};    // virtual devices of the processes that mpirun has started
struct XlaMachine {
  std::string plugin;
};  // the plugin's file; empty: find one
using MachineChoice = std::variant<LocalMachine, MpiMachine, XlaMachine>;

/// How many processes mpirun or srun say that they have started; 1 without them.
int started_processes();
/// The number of this one among them.
int number_of_started_process();

/// Reads the value of --machine. Throws R002 for other values, R004 where several processes were started and
/// each would do all the work: on any machine but mpi.
MachineChoice machine_of(const std::string& text);

}  // namespace tutti::cli
