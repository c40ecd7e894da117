// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/memory.hpp"

#include <algorithm>

#include "tutti/run/place/cost.hpp"

namespace tutti {
namespace {

/// When a buffer holds something, in ranks of steps; and where.
struct Lifetime {
  int first, last;
  std::int64_t begin, end;
};

/// Per step its place in the order in which steps run.
std::vector<int> ranks(const Placement& placement) {
  std::vector<int> order(placement.of.size()), rank(placement.of.size());
  for (std::size_t n = 0; n < order.size(); ++n) order[n] = static_cast<int>(n);
  std::ranges::stable_sort(order, {}, [&](int n) { return placement.of[static_cast<std::size_t>(n)].phase; });
  for (std::size_t at = 0; at < order.size(); ++at)
    rank[static_cast<std::size_t>(order[at])] = static_cast<int>(at);
  return rank;
}

std::vector<Lifetime> lifetimes(const Plan& plan, const std::vector<int>& rank) {
  const Graph& graph = plan.graph();
  const Steps& steps = plan.steps();
  const ArenaPlan& arena = plan.arena();
  std::vector<int> last(graph.buffers.size(), -1);
  for (std::size_t n = 0; n < steps.list.size(); ++n) {
    auto use = [&](int buffer) {
      int& of_buffer = last[static_cast<std::size_t>(buffer)];
      of_buffer = std::max(of_buffer, rank[n]);
    };
    for (int buffer : steps.list[n].writes) use(buffer);
    for (const Address& read : steps.list[n].reads) use(read.buffer);
  }
  auto end = static_cast<int>(steps.list.size());
  for (int buffer : graph.replicas) last[static_cast<std::size_t>(buffer)] = end;
  std::vector<Lifetime> found;
  for (std::size_t r = 0; r < graph.buffers.size(); ++r) {
    const Buffer& buffer = graph.buffers[r];
    if (arena.offset[r] < 0) continue;
    bool is_constant = buffer.kind == Buffer::Kind::constant;
    int maker = steps.maker[r];
    int first = is_constant || maker < 0 ? 0 : rank[static_cast<std::size_t>(maker)];
    found.push_back({first, is_constant ? end : last[r], arena.offset[r], arena.offset[r] + buffer.bytes});
  }
  std::ranges::sort(found, {}, &Lifetime::begin);
  return found;
}

}  // namespace

std::vector<std::int64_t> live_bytes(const Plan& plan) {
  std::vector<int> rank = ranks(plan.placement());
  std::vector<Lifetime> buffers = lifetimes(plan, rank);
  std::vector<std::int64_t> live;
  for (int at : rank) {
    std::int64_t bytes = 0, counted_to = 0;  // buffers may share bytes
    for (const Lifetime& buffer : buffers) {
      if (at < buffer.first || at > buffer.last) continue;
      bytes += std::max<std::int64_t>(buffer.end - std::max(buffer.begin, counted_to), 0);
      counted_to = std::max(counted_to, buffer.end);
    }
    live.push_back(bytes);
  }
  return live;
}

PlanMemory memory_of(const Plan& plan) {
  PlanMemory memory;
  for (const Buffer& buffer : plan.graph().buffers) {
    if (buffer.kind == Buffer::Kind::input) memory.arguments += buffer.bytes;
    if (buffer.kind == Buffer::Kind::output) memory.results += buffer.bytes;
  }
  memory.arena = static_cast<std::int64_t>(plan.schedule().arena_bytes);
  memory.scratch = static_cast<std::int64_t>(plan.schedule().scratch_bytes * plan.schedule().scratch.size());
  for (const Step& step : plan.steps().list)
    if (const SubWork* work = sub_work(plan.graph(), step))
      for (const std::shared_ptr<Plan>& sub : work->plans) {
        PlanMemory of_sub = memory_of(*sub);
        memory.inside += of_sub.arena + of_sub.scratch + of_sub.inside;
      }
  return memory;
}

}  // namespace tutti
