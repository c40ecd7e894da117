// SPDX-License-Identifier: Apache-2.0
// The memory of a plan, for explain() and for the cap of a machine.
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/run/plan/plan.hpp"
#include "tutti/run/watch/report.hpp"

namespace tutti {

/// Bytes of the arena in use while each step runs: constants, live values of earlier steps, results of the
/// step. Assumes that one worker runs all steps, phase by phase.
Indexed<StepId, std::int64_t> live_bytes(const Plan& plan);

/// The values in the arena, by offset. `ops`: those of all equations, see equation_ops. Steps are counted in
/// the order of execution, phase by phase.
std::vector<Report::Buffer> buffers_of(const Plan& plan, const std::vector<Report::StepOp>& ops);

/// Memory of a call, of all workers. Assumes arguments with the program's layout that are not donated. The
/// bytes held between calls are left 0.
Report::Memory memory_of(const Plan& plan);

/// Throws R003 (memory) at the equation with the largest value if a call takes more than `most_bytes` in all.
void require_memory(const Plan& plan, std::int64_t most_bytes);

}  // namespace tutti
