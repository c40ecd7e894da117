// SPDX-License-Identifier: Apache-2.0
// The memory of a plan, as explain() tells it.
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/run/plan/plan.hpp"

namespace tutti {

/// Per step: the bytes of the arena in use while it runs: constants, live values of earlier steps, its own results.
/// Steps run phase by phase, as if by one worker.
Indexed<StepId, std::int64_t> live_bytes(const Plan& plan);

/// In bytes, of all workers; of a call whose arguments lie as the program wants them and are kept.
struct PlanMemory {
  std::int64_t arguments = 0, results = 0;  // of callers
  std::int64_t arena = 0, scratch = 0;
  std::int64_t inside = 0;  // arenas and scratch of sub-programs, and of theirs

  std::int64_t total() const { return arguments + results + arena + scratch + inside; }
};
PlanMemory memory_of(const Plan& plan);

}  // namespace tutti
