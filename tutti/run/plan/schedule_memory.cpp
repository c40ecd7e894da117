// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/plan/schedule_memory.hpp"

#include <cstring>

#include "tutti/base/error.hpp"
#include "tutti/devices/block.hpp"

namespace tutti {

const Buffer* largest_in_arena(const Graph& graph, const ArenaPlan& arena) {
  const Buffer* largest = nullptr;
  for (BufferId b : graph.buffers.ids())
    if (arena.offset[b] && (!largest || graph.buffers[b].bytes > largest->bytes)) largest = &graph.buffers[b];
  return largest;
}

ScheduleMemory::ScheduleMemory(const Graph& graph, const ArenaPlan& arena, Schedule& made)
    : graph_(graph), arena_(arena), made_(made) {
  allocate_arena();
  made_.relocations.resize(graph_.program.inputs.size() + graph_.outputs.size());
}

void ScheduleMemory::allocate_arena() {
  made_.arena_bytes = static_cast<std::size_t>(arena_.bytes);
  try {
    made_.arena = allocate_block(made_.arena_bytes);
  } catch (const Error& error) {
    const Buffer* largest = largest_in_arena(graph_, arena_);
    rethrow_at(graph_, largest ? largest->equation : std::nullopt, error);
  }
  for (BufferId b : graph_.buffers.ids()) {
    if (graph_.buffers[b].kind != Buffer::Kind::constant) continue;
    const Tensor& data = graph_.constants[graph_.buffers[b].number];
    std::memcpy(made_.arena.get() + *arena_.offset[b], data.data(), data.bytes());
  }
}

void ScheduleMemory::put_address(std::byte** at, BufferId b, std::int64_t offset) {
  const Buffer& of = graph_.buffers[arena_.in_output[b].value_or(b)];
  switch (of.kind) {
    case Buffer::Kind::arena:
    case Buffer::Kind::constant: *at = made_.arena.get() + *arena_.offset[b] + offset; return;
    case Buffer::Kind::input: made_.relocations[of.number].push_back({at, of.number, offset}); return;
    case Buffer::Kind::output: {
      Slot slot = graph_.program.inputs.size() + of.number;
      made_.relocations[slot].push_back({at, slot, offset});
    }
  }
}

void ScheduleMemory::need_scratch(std::size_t bytes, TaskId task) {
  if (bytes <= made_.scratch_bytes) return;
  made_.scratch_bytes = bytes;
  neediest_ = task;
}

std::shared_ptr<std::byte> ScheduleMemory::new_scratch() const try {
  return allocate_block(made_.scratch_bytes, BlockStart::page);
} catch (const Error& error) {
  if (!neediest_) throw;
  rethrow_at(graph_, graph_.tasks[*neediest_].equation, error);
}

}  // namespace tutti
