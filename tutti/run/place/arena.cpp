// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/arena.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/run/place/free_bytes.hpp"
#include "tutti/run/place/reuse.hpp"

namespace tutti {
namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t gap_bytes = 320;  // behind large buffers: spreads equal offsets over cache sets
constexpr std::int64_t large_bytes = 4096;
constexpr std::ptrdiff_t longest_look_back = 64;  // buffers that are tried for reuse, the latest first

std::int64_t rounded(std::int64_t bytes, std::int64_t to) { return (bytes + to - 1) / to * to; }

class ArenaPlanner {
 public:
  ArenaPlanner(const Graph& graph, const Steps& steps, const Placement& placement)
      : graph_(graph), steps_(steps), placement_(placement), reuse_(graph, steps, placement) {}

  ArenaPlan plan() && {
    plan_.offset.assign(graph_.buffers.size(), std::nullopt);
    plan_.in_output = reuse_.in_output();
    place_constants();
    std::int64_t staying = place_all(false), travelling = place_all(true);
    std::int64_t constants = plan_.bytes;
    for (BufferId b : graph_.buffers.ids())
      if (is_planned(b)) *plan_.offset[b] += constants + (travels(b) ? staying : 0);
    plan_.bytes += staying + travelling;
    return std::move(plan_);
  }

 private:
  const Buffer& buffer(BufferId b) const { return graph_.buffers[b]; }
  std::size_t phase(StepId n) const { return placement_.of[n].phase; }
  StepId begun(BufferId b) const { return *steps_.begun[b]; }
  std::int64_t offset(BufferId b) const { return *plan_.offset[b]; }
  bool is_planned(BufferId b) const { return reuse_.is_planned(b); }
  bool travels(BufferId b) const { return reuse_.travels(b); }
  std::optional<std::size_t> worker_of(StepId n) const { return reuse_.worker_of(n); }

  void place_constants() {
    for (BufferId b : graph_.buffers.ids())
      if (graph_.buffers[b].kind == Buffer::Kind::constant) {
        plan_.offset[b] = plan_.bytes;
        plan_.bytes += rounded(graph_.buffers[b].bytes, line_bytes);
      }
  }

  /// Places all buffers of one pool and returns the bytes of the pool.
  std::int64_t place_all(bool travelling) {
    std::vector<BufferId> order;
    for (BufferId b : graph_.buffers.ids())
      if (is_planned(b) && travels(b) == travelling) order.push_back(b);
    std::ranges::sort(order, {}, [&](BufferId b) { return std::tuple{phase(begun(b)), begun(b), b}; });
    pool_ = Pool(placement_);
    std::vector<BufferId> placed;
    for (BufferId b : order) {
      go_to_phase(phase(begun(b)));
      release_before(begun(b));
      if (!take_over(b, placed)) plan_.offset[b] = new_place(b);
      placed.push_back(b);
      keep_until_last_access(b);
    }
    return rounded(pool_.top, 2 * line_bytes);
  }

  std::int64_t extent(BufferId b) const {
    std::int64_t bytes = rounded(buffer(b).bytes, travels(b) ? 2 * line_bytes : line_bytes);
    return bytes >= large_bytes ? bytes + gap_bytes : bytes;
  }

  // ---- free bytes: some for all steps from the present phase on, some for one worker's steps in this phase

  struct Expiry {
    StepId last;
    BufferId buffer;
    bool operator>(const Expiry& other) const { return last > other.last; }
  };
  struct Pool {
    Pool() = default;
    explicit Pool(const Placement& placement)
        : expiring(placement.phases),
          of_worker(static_cast<std::size_t>(placement.workers)),
          expiring_of_worker(of_worker.size()) {}

    std::size_t phase = 0;
    std::int64_t top = 0;
    FreeBytes of_all;
    std::vector<std::vector<BufferId>> expiring;  // per phase: the buffers whose last access is there
    // Per worker, in the present phase: bytes that this worker alone used last, and buffers that it alone
    // uses last.
    std::vector<FreeBytes> of_worker;
    std::vector<std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>>> expiring_of_worker;
    std::set<BufferId> owners;  // buffers whose bytes no later buffer has taken over
  };

  void free_to(FreeBytes& free, BufferId b) {
    if (pool_.owners.erase(b) > 0) free.give(offset(b), extent(b));
  }

  void go_to_phase(std::size_t phase) {
    for (; pool_.phase < phase; ++pool_.phase) {
      for (FreeBytes& free : pool_.of_worker) pool_.of_all.absorb(free);
      for (BufferId b : pool_.expiring[pool_.phase]) free_to(pool_.of_all, b);
      for (auto& queue : pool_.expiring_of_worker) queue = {};
      if (pool_.phase + 1 == phase)
        for (BufferId b : pool_.expiring[phase]) expire_for_worker(b);
    }
  }

  void expire_for_worker(BufferId b) {
    const Reuse::Last& last = *reuse_.last(b);
    if (last.worker) pool_.expiring_of_worker[*last.worker].push({last.step, b});
  }

  /// Frees, for the worker of step n, the buffers that it alone used last, before n.
  void release_before(StepId n) {
    std::optional<std::size_t> worker = worker_of(n);
    if (!worker) return;
    auto& queue = pool_.expiring_of_worker[*worker];
    for (; !queue.empty() && queue.top().last < n; queue.pop())
      free_to(pool_.of_worker[*worker], queue.top().buffer);
  }

  void keep_until_last_access(BufferId b) {
    pool_.owners.insert(b);
    if (reuse_.is_kept(b)) return;
    pool_.expiring[reuse_.last(b)->phase].push_back(b);
    if (reuse_.last(b)->phase == pool_.phase) expire_for_worker(b);
  }

  /// Bytes that are free for b: first those of its worker, then those of all, then new ones.
  std::int64_t new_place(BufferId b) {
    const std::int64_t bytes = extent(b);
    if (std::optional<std::size_t> worker = worker_of(begun(b)))
      if (std::optional<std::int64_t> found = pool_.of_worker[*worker].take(bytes)) return *found;
    if (std::optional<std::int64_t> found = pool_.of_all.take(bytes)) return *found;
    return std::exchange(pool_.top, pool_.top + bytes);
  }

  /// Reuses the bytes of a buffer with the same shape and layout, preferably of an operand of b. False if
  /// there is none.
  bool take_over(BufferId b, const std::vector<BufferId>& placed) {
    std::vector<BufferId> candidates = reuse_.operands_in_place(b);
    std::size_t operands = candidates.size();
    auto oldest = placed.rbegin() + std::min(std::ssize(placed), longest_look_back);
    candidates.insert(candidates.end(), placed.rbegin(), oldest);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      BufferId candidate = candidates[i];
      if (!is_planned(candidate) || travels(candidate) != travels(b) || !reuse_.have_one_layout(candidate, b))
        continue;
      if (!take_bytes_of(candidate, b)) continue;
      plan_.offset[b] = offset(candidate);
      plan_.shared_in_place += i < operands ? 1 : 0;
      return true;
    }
    return false;
  }

  bool take_bytes_of(BufferId candidate, BufferId b) {
    if (pool_.owners.contains(candidate)) {
      if (!reuse_.may_lie_over(b, candidate)) return false;
      pool_.owners.erase(candidate);
      return true;
    }
    std::optional<std::size_t> worker = worker_of(begun(b));
    return (worker && pool_.of_worker[*worker].take_at(offset(candidate), extent(b))) ||
           pool_.of_all.take_at(offset(candidate), extent(b));
  }

  const Graph& graph_;
  const Steps& steps_;
  const Placement& placement_;
  Reuse reuse_;
  ArenaPlan plan_;
  Pool pool_;  // the pool whose buffers are being placed
};

}  // namespace

ArenaPlan plan_arena(const Graph& graph, const Steps& steps, const Placement& placement) {
  return ArenaPlanner(graph, steps, placement).plan();
}

}  // namespace tutti
