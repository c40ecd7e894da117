// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/ir/program.hpp"
#include "tutti/run/executable.hpp"

namespace tutti {

/// What our runtime computes when every device runs `program` on values of its own: inputs[k][d] is input k on device
/// d, the result likewise. The inputs must be equal where their types say so.
std::vector<Tensors> run_on_machine(const Program& program, const Mesh& mesh,
                                    const std::vector<Tensors>& inputs, Team& team,
                                    const CompileOptions& options = {.check_races = true});
/// On two workers.
std::vector<Tensors> run_on_machine(const Program& program, const Mesh& mesh,
                                    const std::vector<Tensors>& inputs,
                                    const CompileOptions& options = {.check_races = true});

}  // namespace tutti
