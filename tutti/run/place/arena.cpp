// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/arena.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/run/place/free_bytes.hpp"

namespace tutti {
namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t gap_bytes = 320;  // behind large buffers: spreads equal offsets over cache sets
constexpr std::int64_t large_bytes = 4096;
constexpr std::ptrdiff_t longest_look_back = 64;  // buffers whose memory a new one may reuse

std::int64_t rounded(std::int64_t bytes, std::int64_t to) { return (bytes + to - 1) / to * to; }

class ArenaPlanner {
 public:
  ArenaPlanner(const Graph& graph, const Steps& steps, const Placement& placement)
      : graph_(graph),
        steps_(steps),
        placement_(placement),
        accesses_(graph.buffers.size()),
        kept_(graph.buffers.size()),
        below_(graph.buffers.size()) {
    plan_.in_output.assign(graph.buffers.size(), std::nullopt);
    for (BufferId r : graph.replicas) kept_[r] = true;
  }

  ArenaPlan plan() && {
    plan_.offset.assign(graph_.buffers.size(), std::nullopt);
    place_constants();
    find_accesses();
    find_updates_of_outputs();
    std::int64_t staying = place_all(false), travelling = place_all(true);
    std::int64_t constants = plan_.bytes;
    for (BufferId r : graph_.buffers.ids())
      if (is_planned(r)) *plan_.offset[r] += constants + (travels(r) ? staying : 0);
    plan_.bytes += staying + travelling;
    return std::move(plan_);
  }

  MayOverwrite may_overwrite() && {
    find_accesses();
    find_updates_of_outputs();
    return [planner = std::move(*this)](BufferId input, BufferId output) {
      for (std::optional<BufferId> later = output; later; later = planner.below_[*later])
        if (!planner.may_replace(input, *later)) return false;
      return true;
    };
  }

 private:
  const Buffer& buffer(BufferId r) const { return graph_.buffers[r]; }
  const Step& step(StepId n) const { return steps_.list[n]; }
  std::size_t phase(StepId n) const { return placement_.of[n].phase; }
  const Split& split(StepId n) const { return placement_.of[n].split; }
  SplitStep placed(StepId n) const { return {step(n), split(n)}; }
  StepId maker(BufferId r) const { return *steps_.maker[r]; }
  std::int64_t offset(BufferId r) const { return *plan_.offset[r]; }
  bool is_planned(BufferId r) const {
    return buffer(r).kind == Buffer::Kind::arena && steps_.maker[r] && steps_.in_memory[r] &&
           !plan_.in_output[r];
  }
  bool is_kept(BufferId r) const { return kept_[r]; }

  void place_constants() {
    for (BufferId r : graph_.buffers.ids())
      if (graph_.buffers[r].kind == Buffer::Kind::constant) {
        plan_.offset[r] = plan_.bytes;
        plan_.bytes += rounded(graph_.buffers[r].bytes, line_bytes);
      }
  }

  void find_accesses() {
    travels_.assign(graph_.buffers.size(), false);
    for (StepId n : steps_.list.ids()) {
      for (BufferId r : step(n).writes) accesses_[r].push_back(n);
      for (const Address& read : step(n).reads) {
        accesses_[read.buffer].push_back(n);
        std::optional<StepId> writer = steps_.maker[read.buffer];
        if (writer && !reads_own_part(graph_, placed(*writer), placed(n), read)) travels_[read.buffer] = true;
      }
    }
    for (const std::vector<StepId>& steps : accesses_) last_.add(last_of(steps));
  }
  bool travels(BufferId r) const { return travels_[r]; }

  /// The last accesses to a buffer.
  struct Last {
    std::size_t phase;
    StepId step;                        // the last one in that phase
    std::optional<std::size_t> worker;  // the one that does them; none: several do
  };

  std::optional<std::size_t> worker_of(StepId n) const {
    return split(n).by == Split::By::worker ? std::optional(split(n).which) : std::nullopt;
  }

  std::optional<Last> last_of(const std::vector<StepId>& steps) const {
    std::optional<Last> last;
    for (StepId n : steps) {
      if (last && phase(n) < last->phase) continue;
      if (!last || phase(n) > last->phase) {
        last = {phase(n), n, worker_of(n)};
        continue;
      }
      if (last->worker != worker_of(n)) last->worker.reset();
      last->step = std::max(last->step, n);
    }
    return last;
  }

  /// Finds the values that lead to an output by updates, each of the one before. They use the output's memory.
  void find_updates_of_outputs() {
    for (BufferId output : graph_.outputs)
      for (BufferId later = output; (below_[later] = updated_value(later)); later = *below_[later])
        plan_.in_output[*below_[later]] = output;
  }

  /// The value that an update changes to `later`, if `later` may lie where it does.
  std::optional<BufferId> updated_value(BufferId later) const {
    const Step& writer = step(maker(later));
    if (writer.kind == Step::Kind::region) return std::nullopt;
    const Task& task = graph_.tasks[writer.tasks[0]];
    std::optional<std::size_t> over = operand_below(task, later);
    if (!over) return std::nullopt;
    BufferId earlier = task.operands[*over].buffer;
    if (!is_planned(earlier) || !may_replace(earlier, later)) return std::nullopt;
    return earlier;
  }

  bool may_replace(BufferId earlier, BufferId later) const {
    return alike(earlier, later) && buffer(earlier).axes == buffer(later).axes &&
           (is_over(earlier, later) || is_over_part_by_part(earlier, later));
  }

  /// Places all buffers of one pool and returns the bytes of the pool.
  std::int64_t place_all(bool travelling) {
    std::vector<BufferId> order;
    for (BufferId r : graph_.buffers.ids())
      if (is_planned(r) && travels(r) == travelling) order.push_back(r);
    std::ranges::sort(order, {}, [&](BufferId r) { return std::tuple{phase(maker(r)), maker(r), r}; });
    pool_ = Pool(placement_);
    std::vector<BufferId> placed;
    for (BufferId r : order) {
      go_to_phase(phase(maker(r)));
      release_before(maker(r));
      if (!take_over(r, placed)) plan_.offset[r] = new_place(r);
      placed.push_back(r);
      keep_until_last_access(r);
    }
    return rounded(pool_.top, 2 * line_bytes);
  }

  std::int64_t extent(BufferId r) const {
    std::int64_t bytes = rounded(buffer(r).bytes, travels(r) ? 2 * line_bytes : line_bytes);
    return bytes >= large_bytes ? bytes + gap_bytes : bytes;
  }

  // ---- what is free: for all steps from the present phase on, and for those of one worker in this phase

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
    // Per worker, in the present phase: bytes that only its own steps used last, and buffers that will be such.
    std::vector<FreeBytes> of_worker;
    std::vector<std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>>> expiring_of_worker;
    std::set<BufferId> owners;  // of the bytes where they lie: no other buffer has taken these over
  };

  void free_to(FreeBytes& free, BufferId r) {
    if (pool_.owners.erase(r) > 0) free.give(offset(r), extent(r));
  }

  void go_to_phase(std::size_t phase) {
    for (; pool_.phase < phase; ++pool_.phase) {
      for (FreeBytes& free : pool_.of_worker) pool_.of_all.absorb(free);
      for (BufferId r : pool_.expiring[pool_.phase]) free_to(pool_.of_all, r);
      for (auto& queue : pool_.expiring_of_worker) queue = {};
      if (pool_.phase + 1 == phase)
        for (BufferId r : pool_.expiring[phase]) expire_for_worker(r);
    }
  }

  void expire_for_worker(BufferId r) {
    const Last& last = *last_[r];
    if (last.worker) pool_.expiring_of_worker[*last.worker].push({last.step, r});
  }

  /// Frees, for the worker of step n, the buffers that it alone used last, before n.
  void release_before(StepId n) {
    std::optional<std::size_t> worker = worker_of(n);
    if (!worker) return;
    auto& queue = pool_.expiring_of_worker[*worker];
    for (; !queue.empty() && queue.top().last < n; queue.pop())
      free_to(pool_.of_worker[*worker], queue.top().buffer);
  }

  void keep_until_last_access(BufferId r) {
    pool_.owners.insert(r);
    if (is_kept(r)) return;
    pool_.expiring[last_[r]->phase].push_back(r);
    if (last_[r]->phase == pool_.phase) expire_for_worker(r);
  }

  /// Bytes that are free for r: first those of its worker, then those of all, then new ones.
  std::int64_t new_place(BufferId r) {
    const std::int64_t bytes = extent(r);
    if (std::optional<std::size_t> worker = worker_of(maker(r)))
      if (std::optional<std::int64_t> found = pool_.of_worker[*worker].take(bytes)) return *found;
    if (std::optional<std::int64_t> found = pool_.of_all.take(bytes)) return *found;
    return std::exchange(pool_.top, pool_.top + bytes);
  }

  /// Reuses the bytes of a buffer with the same shape and layout, preferably of an operand of r. False if there is
  /// none.
  bool take_over(BufferId r, const std::vector<BufferId>& placed) {
    std::vector<BufferId> candidates;
    for (const Address& read : step(maker(r)).reads) candidates.push_back(read.buffer);
    std::size_t operands = candidates.size();
    auto oldest = placed.rbegin() + std::min(std::ssize(placed), longest_look_back);
    candidates.insert(candidates.end(), placed.rbegin(), oldest);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      BufferId candidate = candidates[i];
      if (!is_planned(candidate) || travels(candidate) != travels(r) || !alike(candidate, r)) continue;
      if (!take_bytes_of(candidate, r)) continue;
      plan_.offset[r] = offset(candidate);
      plan_.shared_in_place += i < operands ? 1 : 0;
      return true;
    }
    return false;
  }

  bool take_bytes_of(BufferId candidate, BufferId r) {
    if (pool_.owners.contains(candidate)) {
      if (!is_over(candidate, r) && !is_over_part_by_part(candidate, r)) return false;
      pool_.owners.erase(candidate);
      return true;
    }
    std::optional<std::size_t> worker = worker_of(maker(r));
    return (worker && pool_.of_worker[*worker].take_at(offset(candidate), extent(r))) ||
           pool_.of_all.take_at(offset(candidate), extent(r));
  }

  bool alike(BufferId a, BufferId b) const {
    return buffer(a).stored == buffer(b).stored && buffer(a).shard_stride == buffer(b).shard_stride &&
           buffer(a).bytes == buffer(b).bytes && buffer(a).type.bytes() == buffer(b).type.bytes();
  }

  /// True if every access to `earlier` happens before `later` is written.
  bool is_over(BufferId earlier, BufferId later) const {
    if (is_kept(earlier)) return false;
    const std::optional<Last>& last = last_[earlier];
    if (!last) return true;
    StepId writer = maker(later);
    if (last->phase != phase(writer)) return last->phase < phase(writer);
    return last->worker && last->worker == worker_of(writer) && last->step < writer;
  }

  bool happens_before(StepId n, StepId m) const {
    if (phase(n) != phase(m)) return phase(n) < phase(m);
    return n < m && split(n) == split(m) && split(n).by == Split::By::worker;
  }

  /// Like is_over(), but worker by worker and tile by tile; for two buffers with the same offset and layout.
  bool is_over_part_by_part(BufferId earlier, BufferId later) const {
    StepId writer = maker(later);
    if (is_kept(earlier) || steps_.maker[earlier] == writer) return false;
    return std::ranges::all_of(accesses_[earlier], [&](StepId n) {
      if (happens_before(n, writer)) return true;
      if (n > writer || phase(n) != phase(writer) || !(split(n) == split(writer))) return false;
      if (n == writer) return is_read_in_place(n, earlier, later);
      return keeps_to_own_part(n, earlier, writer, later);
    });
  }

  /// True if in step n each worker touches only its own part of `earlier`, and in `writer` only its own part
  /// of `later`.
  bool keeps_to_own_part(StepId n, BufferId earlier, StepId writer, BufferId later) const {
    const Split& split = this->split(n);
    switch (split.by) {
      case Split::By::worker: break;  // then happens_before() decides
      case Split::By::together: return false;
      case Split::By::axis:
        if (!has(buffer(later).stored, split.which) || !has(step(writer).outer(), split.which)) return false;
        break;
      case Split::By::tiles:
        if (!tiles_alike(step(n), step(writer)) || buffer(later).type.shape() != step(n).shape ||
            buffer(earlier).type.shape() != step(n).shape)
          return false;
        break;
    }
    for (const Address& read : step(n).reads)
      if (read.buffer == earlier && !reads_own_part(graph_, placed(n), placed(n), read)) return false;
    return true;
  }

  /// True if step n reads no element of `earlier` after it has written that element of `later`.
  bool is_read_in_place(StepId n, BufferId earlier, BufferId later) const {
    if (step(n).kind == Step::Kind::region) return is_read_in_place_by_region(step(n), earlier, later);
    const Task& task = graph_.tasks[step(n).tasks[0]];
    std::optional<std::size_t> over = operand_below(task, later);
    if (!over || !(task.operands[*over] == natural_address(graph_, earlier))) return false;
    return std::ranges::count(task.operands, earlier, &Address::buffer) == 1;
  }

  /// The operand whose memory a result of an unfused task may reuse.
  static std::optional<std::size_t> operand_below(const Task& task, BufferId result) {
    if (const auto* work = std::get_if<OpaqueWork>(&task.work))
      return result == task.results[0] ? work->opaque.changes : std::nullopt;
    if (const auto* work = std::get_if<CopyWork>(&task.work))
      return is_identity(*work) ? std::optional<std::size_t>(0) : std::nullopt;
    const auto* work = std::get_if<SubWork>(&task.work);
    if (!work) return std::nullopt;
    auto at = static_cast<std::size_t>(std::ranges::find(task.results, result) - task.results.begin());
    return at < work->over.size() ? work->over[at] : std::nullopt;
  }

  static bool is_identity(const CopyWork& work) {
    return std::ranges::all_of(work.jobs,
                               [](const CopyWork::Job& job) {
                                 return job.from.size() == 1 && job.from[0] == job.to;
                               }) &&
           std::ranges::all_of(work.loops,
                               [](const CopyLoop& loop) { return loop.from_stride == loop.to_stride; });
  }

  /// True if the region reads `earlier` only element by element, and in no task after the maker of `later`.
  bool is_read_in_place_by_region(const Step& region, BufferId earlier, BufferId later) const {
    if (buffer(earlier).type.shape() != buffer(later).type.shape()) return false;
    if (buffer(earlier).type.shape() != region.shape) return false;
    Address own = natural_address(graph_, earlier);
    std::size_t written = position_of_maker(region, later);
    for (std::size_t i = 0; i < region.tasks.size(); ++i) {
      const Task& task = graph_.tasks[region.tasks[i]];
      for (const Address& operand : task.operands) {
        if (operand.buffer != earlier) continue;
        const auto& merged_into = region.uses.merged_into;
        std::size_t read = merged_into.contains(i) ? merged_into.at(i) : i;
        if (read > written || (read == written && !std::holds_alternative<PointwiseWork>(task.work)))
          return false;
        if (operand.offset != 0 || operand.axes != own.axes || task.shape != region.shape) return false;
        if (!is_dense(operand, region.shape, element_bytes(graph_, operand))) return false;
      }
    }
    return true;
  }

  std::size_t position_of_maker(const Step& region, BufferId r) const {
    for (std::size_t i = 0; i < region.tasks.size(); ++i)
      for (BufferId result : graph_.tasks[region.tasks[i]].results)
        if (result == r) return i;
    return 0;
  }

  const Graph& graph_;
  const Steps& steps_;
  const Placement& placement_;
  ArenaPlan plan_;
  Indexed<BufferId, std::vector<StepId>> accesses_;
  Indexed<BufferId, std::optional<Last>> last_;  // none: no step accesses the buffer
  Indexed<BufferId, bool> kept_, travels_;
  Indexed<BufferId, std::optional<BufferId>> below_;  // see find_updates_of_outputs()
  Pool pool_;                                         // that is being placed
};

}  // namespace

ArenaPlan plan_arena(const Graph& graph, const Steps& steps, const Placement& placement) {
  return ArenaPlanner(graph, steps, placement).plan();
}

MayOverwrite may_overwrite(const Graph& graph, const Steps& steps, const Placement& placement) {
  return ArenaPlanner(graph, steps, placement).may_overwrite();
}

}  // namespace tutti
