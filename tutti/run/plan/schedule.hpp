// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/run/code/worker_step.hpp"
#include "tutti/run/place/arena.hpp"

namespace tutti {

/// The executable form of a plan: a list of steps per phase and worker, over an arena, scratch and slots.
struct Schedule {
  std::shared_ptr<std::byte> arena;
  std::size_t arena_bytes = 0;
  std::vector<std::shared_ptr<std::byte>> scratch;  // per worker
  std::size_t scratch_bytes = 0;
  std::vector<std::vector<std::vector<WorkerStep>>> lists;  // [phase][worker]
  std::vector<std::vector<Relocation>> relocations;         // per slot: inputs, then outputs
  std::vector<std::unique_ptr<StepCode>> code;              // of the steps
};

/// Throws R003 (memory) at the equation with the largest value if the arena does not fit.
Schedule make_schedule(const Graph& graph, const Steps& steps, const StepCosts& costs,
                       const Placement& placement, const ArenaPlan& arena);

/// Writes the address of a caller's buffer to every pointer of the steps into this buffer.
void relocate(Schedule& schedule, Slot slot, std::byte* base);

}  // namespace tutti
