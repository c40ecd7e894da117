// SPDX-License-Identifier: Apache-2.0
// Processes that are threads: each plans and runs its own devices, and they exchange messages in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tutti/devices/processes.hpp"
#include "tutti/devices/transport.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/run/executable.hpp"
#include "tutti/run/machine.hpp"

namespace tutti {

struct ManyProcesses {
  int count = 1;
  Processes::Split split = {};
  std::vector<int> workers = {1};              // of process 0, 1, ..; process i has workers[i % size]
  std::int64_t largest_whole_fold = 16 << 10;  // see Processes
  int most_looks = 0;                          // see Mailboxes
};

/// Runs `job` as each of so many processes, which are threads. Throws the error of the first one that failed;
/// the others then wait no longer. `most_looks`: see Mailboxes.
void as_processes(int count, const std::function<void(int self, std::unique_ptr<Transport>)>& job,
                  int most_looks = 0);

/// Runs `job` on the machine of each process.
void on_machines(const Mesh& mesh, const ManyProcesses& processes,
                 const std::function<void(const Machine&)>& job, const MachineOptions& options = {});

/// As run_on_machine: inputs[k][d] and results[k][d] are those of device d of the mesh.
/// Throws as as_processes does.
std::vector<Tensors> run_on_processes(const Program& program, const Mesh& mesh,
                                      const std::vector<Tensors>& inputs, const ManyProcesses& processes,
                                      const CompileOptions& options = {});

/// Inputs of a program, of elements in [-1, 1].
std::vector<Tensors> drawn_inputs(const Program& program, const Mesh& mesh, std::uint64_t seed);

/// All splits of a mesh into boxes, but the one into one box.
std::vector<Processes::Split> grids_of(const Mesh& mesh);
int boxes_of(const Processes::Split& split);
std::string grid_name(const Processes::Split& split);

}  // namespace tutti
