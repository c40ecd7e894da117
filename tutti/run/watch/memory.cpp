// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tutti/base/require.hpp"
#include "tutti/run/place/cost.hpp"

namespace tutti {
namespace {

/// Live range of a buffer, in ranks of steps, and its bytes in the arena.
struct Lifetime {
  BufferId buffer;
  std::size_t first, last;
  std::int64_t begin, end;
};

/// The rank of each step in the order of execution.
using Ranks = Indexed<StepId, std::size_t>;
Ranks ranks(const Placement& placement) {
  std::vector<StepId> order;
  for (StepId n : placement.of.ids()) order.push_back(n);
  std::ranges::stable_sort(order, {}, [&](StepId n) { return placement.of[n].phase; });
  Ranks rank(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) rank[order[at]] = at;
  return rank;
}

std::vector<Lifetime> lifetimes(const Plan& plan, const Ranks& rank) {
  const Graph& graph = plan.graph();
  const Steps& steps = plan.steps();
  const ArenaPlan& arena = plan.arena();
  Indexed<BufferId, std::size_t> last(graph.buffers.size());
  for (StepId n : steps.list.ids()) {
    auto use = [&](BufferId buffer) { last[buffer] = std::max(last[buffer], rank[n]); };
    for (BufferId buffer : steps.list[n].writes) use(buffer);
    for (const Address& read : steps.list[n].reads) use(read.buffer);
  }
  const std::size_t end = steps.list.size();
  for (BufferId buffer : graph.replicas) last[buffer] = end;
  std::vector<Lifetime> found;
  for (BufferId b : graph.buffers.ids()) {
    const Buffer& buffer = graph.buffers[b];
    if (!arena.offset[b]) continue;
    bool is_constant = buffer.kind == Buffer::Kind::constant;
    std::optional<StepId> begun = steps.begun[b];
    std::size_t first = is_constant || !begun ? 0 : rank[*begun];
    found.push_back(
        {b, first, is_constant ? end : last[b], *arena.offset[b], *arena.offset[b] + buffer.bytes});
  }
  std::ranges::sort(found, {}, &Lifetime::begin);
  return found;
}

}  // namespace

Indexed<StepId, std::int64_t> live_bytes(const Plan& plan) {
  Ranks rank = ranks(plan.placement());
  std::vector<Lifetime> buffers = lifetimes(plan, rank);
  Indexed<StepId, std::int64_t> live;
  for (std::size_t at : rank) {
    std::int64_t bytes = 0, counted_to = 0;  // buffers may share bytes
    for (const Lifetime& buffer : buffers) {
      if (at < buffer.first || at > buffer.last) continue;
      bytes += std::max<std::int64_t>(buffer.end - std::max(buffer.begin, counted_to), 0);
      counted_to = std::max(counted_to, buffer.end);
    }
    live.add(bytes);
  }
  return live;
}

namespace {

/// The result of its equation that each buffer holds. Buffers of one equation and type come in the order of
/// the results. A loop has a second buffer for each value that it carries, in the same order.
Indexed<BufferId, std::size_t> results_of(const Graph& graph) {
  Indexed<BufferId, std::size_t> found;
  std::map<std::pair<std::size_t, std::string>, std::size_t> seen;  // by equation and type
  for (const Buffer& buffer : graph.buffers) {
    if (!buffer.equation) {
      found.add(0);
      continue;
    }
    const std::string type = to_string(buffer.type);
    std::vector<std::size_t> alike;
    const std::vector<Var>& results = graph.program.equations[*buffer.equation].results;
    for (std::size_t i = 0; i < results.size(); ++i)
      if (to_string(graph.program.type(results[i])) == type) alike.push_back(i);
    const std::size_t nth = seen[{*buffer.equation, type}]++;
    found.add(alike.empty() ? 0 : alike[nth % alike.size()]);
  }
  return found;
}

}  // namespace

std::vector<Report::Buffer> buffers_of(const Plan& plan, const std::vector<Report::StepOp>& ops) {
  const Graph& graph = plan.graph();
  const Indexed<BufferId, std::size_t> results = results_of(graph);
  const std::size_t last_step = std::max<std::size_t>(plan.steps().list.size(), 1) - 1;
  std::vector<Report::Buffer> buffers;
  for (const Lifetime& lifetime : lifetimes(plan, ranks(plan.placement()))) {
    const Buffer& buffer = graph.buffers[lifetime.buffer];
    const auto op = buffer.equation ? std::optional(ops[*buffer.equation]) : std::nullopt;
    buffers.push_back({.value = (op ? op->name + " " : "") + to_string(buffer.type),
                       .op = op,
                       .result = results[lifetime.buffer],
                       .offset = lifetime.begin,
                       .bytes = lifetime.end - lifetime.begin,
                       .first = lifetime.first,
                       .last = std::min(lifetime.last, last_step),
                       .is_constant = buffer.kind == Buffer::Kind::constant});
  }
  return buffers;
}

Report::Memory memory_of(const Plan& plan) {
  Report::Memory memory{.in_place = plan.arena().shared_in_place};
  for (const Buffer& buffer : plan.graph().buffers) {
    if (buffer.kind == Buffer::Kind::input) memory.arguments += buffer.bytes;
    if (buffer.kind == Buffer::Kind::output) memory.results += buffer.bytes;
  }
  memory.arena = static_cast<std::int64_t>(plan.schedule().arena_bytes);
  memory.scratch = static_cast<std::int64_t>(plan.schedule().scratch_bytes * plan.schedule().scratch.size());
  for (const Step& step : plan.steps().list)
    if (const SubWork* work = sub_work(plan.graph(), step))
      for (const std::shared_ptr<Plan>& sub : work->plans) {
        const Report::Memory of_sub = memory_of(*sub);
        memory.inside += of_sub.arena + of_sub.scratch + of_sub.inside;
      }
  return memory;
}

namespace {

/// The largest value that an equation of a plan makes, also one inside of its sub-programs.
struct LargestValue {
  const Graph* graph = nullptr;  // null: no equation makes a value with memory
  BufferId buffer = {};

  std::int64_t bytes() const { return graph ? graph->buffers[buffer].bytes : -1; }
};

LargestValue largest_value(const Plan& plan) {
  LargestValue largest;
  const Graph& graph = plan.graph();
  for (BufferId b : graph.buffers.ids()) {
    const Buffer& buffer = graph.buffers[b];
    const bool has_memory = buffer.kind == Buffer::Kind::output || plan.arena().offset[b];
    if (buffer.equation && has_memory && buffer.bytes > largest.bytes()) largest = {&graph, b};
  }
  for (const Step& step : plan.steps().list)
    if (const SubWork* work = sub_work(graph, step))
      for (const std::shared_ptr<Plan>& sub : work->plans)
        if (const LargestValue inside = largest_value(*sub); inside.bytes() > largest.bytes())
          largest = inside;
  return largest;
}

}  // namespace

void require_memory(const Plan& plan, std::int64_t most_bytes) {
  const std::int64_t total = memory_of(plan).total();
  if (total <= most_bytes) return;
  const LargestValue largest = largest_value(plan);
  std::string text =
      fmt::format("a call takes {} bytes in all, but MachineOptions::memory allows {}", total, most_bytes);
  if (!largest.graph) fail(Code::memory, "{}; compute in parts, or allow more", text);
  const Buffer& buffer = largest.graph->buffers[largest.buffer];
  text += fmt::format("; the largest value, {}, takes {} bytes; compute in parts, or allow more",
                      to_string(buffer.type), buffer.bytes);
  rethrow_at(*largest.graph, buffer.equation, Error(Code::memory, {}, text));
}

}  // namespace tutti
