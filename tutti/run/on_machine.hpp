// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/ir/program.hpp"
#include "tutti/run/executable.hpp"

namespace tutti {

/// Runs `program` with the runtime, each device on values of its own: inputs[k][d] is input k on device d,
/// and result [k][d] is output k on device d. Inputs must be equal where their types say so.
std::vector<Tensors> run_on_machine(const Program& program, const Mesh& mesh,
                                    const std::vector<Tensors>& inputs, Team& team,
                                    const CompileOptions& options = {.check_races = true});
/// Runs on a team of two workers.
std::vector<Tensors> run_on_machine(const Program& program, const Mesh& mesh,
                                    const std::vector<Tensors>& inputs,
                                    const CompileOptions& options = {.check_races = true});
/// Runs the part of one process. Inputs are those of all devices of the mesh. Results are those of its own
/// devices, in order. All processes of a job run it, each with a transport to the others.
std::vector<Tensors> run_on_machine(const Program& program, const Processes& processes,
                                    const std::vector<Tensors>& inputs, Team& team,
                                    const CompileOptions& options);
/// Compiles and runs `program` on another machine's devices. Its errors have no line.
std::vector<Tensors> run_on_machine(const Program& program, const std::vector<Tensors>& inputs,
                                    Backend& machine);

}  // namespace tutti
