// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/run/graph/graph.hpp"
#include "tutti/run/plan/schedule.hpp"

namespace tutti {

/// The largest value in the arena; none if the arena is empty.
const Buffer* largest_in_arena(const Graph& graph, const ArenaPlan& arena);

/// The memory of a schedule under construction: its arena with the constants, its scratch, and the addresses
/// of buffers.
class ScheduleMemory {
 public:
  /// Throws R003 (memory) at the equation with the largest value if the arena does not fit.
  ScheduleMemory(const Graph& graph, const ArenaPlan& arena, Schedule& made);

  /// Writes the address of byte `offset` of buffer `b` to `at`; for callers' buffers, whenever one is bound.
  void put_address(std::byte** at, BufferId b, std::int64_t offset);
  /// Reserves scratch for the code of a task. All steps of a worker share its scratch.
  void need_scratch(std::size_t bytes, TaskId task);
  /// Scratch for one thread. Throws R003 at the task that needs most.
  std::shared_ptr<std::byte> new_scratch() const;

 private:
  void allocate_arena();

  const Graph& graph_;
  const ArenaPlan& arena_;
  Schedule& made_;
  std::optional<TaskId> neediest_;  // the task that needs most scratch
};

}  // namespace tutti
