// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/memory.hpp"

#include <algorithm>

#include "tutti/run/place/cost.hpp"

namespace tutti {
namespace {

/// When a root holds something, in ranks of nodes; and where.
struct Lifetime {
  int first, last;
  std::int64_t begin, end;
};

/// Per node its place in the order in which nodes run.
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
  const Nodes& nodes = plan.nodes();
  const BufferPlan& buffers = plan.buffers();
  std::vector<int> last(graph.roots.size(), -1);
  for (std::size_t n = 0; n < nodes.list.size(); ++n) {
    auto use = [&](int root) {
      int& of_root = last[static_cast<std::size_t>(root)];
      of_root = std::max(of_root, rank[n]);
    };
    for (int root : nodes.list[n].writes) use(root);
    for (const Address& read : nodes.list[n].reads) use(read.root);
  }
  auto end = static_cast<int>(nodes.list.size());
  for (int root : graph.replicas) last[static_cast<std::size_t>(root)] = end;
  std::vector<Lifetime> found;
  for (std::size_t r = 0; r < graph.roots.size(); ++r) {
    const Root& root = graph.roots[r];
    if (buffers.offset[r] < 0) continue;
    bool is_constant = root.place == Root::Place::constant;
    int maker = nodes.maker[r];
    int first = is_constant || maker < 0 ? 0 : rank[static_cast<std::size_t>(maker)];
    found.push_back({first, is_constant ? end : last[r], buffers.offset[r], buffers.offset[r] + root.bytes});
  }
  std::ranges::sort(found, {}, &Lifetime::begin);
  return found;
}

}  // namespace

std::vector<std::int64_t> live_bytes(const Plan& plan) {
  std::vector<int> rank = ranks(plan.placement());
  std::vector<Lifetime> roots = lifetimes(plan, rank);
  std::vector<std::int64_t> live;
  for (int at : rank) {
    std::int64_t bytes = 0, counted_to = 0;  // roots may share bytes
    for (const Lifetime& root : roots) {
      if (at < root.first || at > root.last) continue;
      bytes += std::max<std::int64_t>(root.end - std::max(root.begin, counted_to), 0);
      counted_to = std::max(counted_to, root.end);
    }
    live.push_back(bytes);
  }
  return live;
}

PlanMemory memory_of(const Plan& plan) {
  PlanMemory memory;
  for (const Root& root : plan.graph().roots) {
    if (root.place == Root::Place::input) memory.arguments += root.bytes;
    if (root.place == Root::Place::output) memory.results += root.bytes;
  }
  memory.arena = static_cast<std::int64_t>(plan.schedule().arena_bytes);
  memory.scratch = static_cast<std::int64_t>(plan.schedule().scratch_bytes * plan.schedule().scratch.size());
  for (const Node& node : plan.nodes().list)
    if (const SubWork* work = sub_work(plan.graph(), node))
      for (const std::shared_ptr<Plan>& sub : work->plans) {
        PlanMemory of_sub = memory_of(*sub);
        memory.inside += of_sub.arena + of_sub.scratch + of_sub.inside;
      }
  return memory;
}

}  // namespace tutti
