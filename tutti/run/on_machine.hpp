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
/// Compiles and runs `program` on another machine's devices. Its errors have no line.
std::vector<Tensors> run_on_machine(const Program& program, const std::vector<Tensors>& inputs,
                                    Backend& machine);

}  // namespace tutti
