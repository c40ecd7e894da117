// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/arena.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace tutti {
namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t gap_bytes =
    320;  // after large buffers, so that equal places of several are in other sets
constexpr std::int64_t large_bytes = 4096;
constexpr std::ptrdiff_t longest_look_back = 64;  // buffers whose place a new one may take

std::int64_t rounded(std::int64_t bytes, std::int64_t to) { return (bytes + to - 1) / to * to; }

class ArenaPlanner {
 public:
  ArenaPlanner(const Graph& graph, const Steps& steps, const Placement& placement)
      : graph_(graph),
        steps_(steps),
        placement_(placement),
        accesses_(graph.buffers.size()),
        kept_(graph.buffers.size()) {
    for (int r : graph.replicas) kept_[static_cast<std::size_t>(r)] = true;
  }

  ArenaPlan plan() && {
    plan_.offset.assign(graph_.buffers.size(), -1);
    one_worker_ = std::ranges::all_of(placement_.of, [&](const Assignment& assigned) {
      return assigned.phase == 0 && assigned.split == placement_.of[0].split;
    });
    place_constants();
    find_accesses();
    std::int64_t staying = place_all(false), travelling = place_all(true);
    std::int64_t constants = plan_.bytes;
    for (std::size_t r = 0; r < graph_.buffers.size(); ++r)
      if (is_planned(static_cast<int>(r)))
        plan_.offset[r] += constants + (travels(static_cast<int>(r)) ? staying : 0);
    plan_.bytes += staying + travelling;
    return std::move(plan_);
  }

  MayOverwrite may_overwrite() && {
    find_accesses();
    return [planner = std::move(*this)](int input, int output) {
      return planner.alike(input, output) && planner.buffer(input).axes == planner.buffer(output).axes &&
             (planner.is_over(input, output) || planner.is_over_part_by_part(input, output));
    };
  }

 private:
  const Buffer& buffer(int r) const { return graph_.buffers[static_cast<std::size_t>(r)]; }
  const Step& step(int n) const { return steps_.list[static_cast<std::size_t>(n)]; }
  int phase(int n) const { return placement_.of[static_cast<std::size_t>(n)].phase; }
  const Split& split(int n) const { return placement_.of[static_cast<std::size_t>(n)].split; }
  SplitStep placed(int n) const { return {step(n), split(n)}; }
  int maker(int r) const { return steps_.maker[static_cast<std::size_t>(r)]; }
  std::int64_t& offset(int r) { return plan_.offset[static_cast<std::size_t>(r)]; }
  bool is_planned(int r) const {
    return buffer(r).kind == Buffer::Kind::arena && maker(r) >= 0 &&
           steps_.in_memory[static_cast<std::size_t>(r)];
  }
  bool is_kept(int r) const { return kept_[static_cast<std::size_t>(r)]; }

  void place_constants() {
    for (std::size_t r = 0; r < graph_.buffers.size(); ++r)
      if (graph_.buffers[r].kind == Buffer::Kind::constant) {
        plan_.offset[r] = plan_.bytes;
        plan_.bytes += rounded(graph_.buffers[r].bytes, line_bytes);
      }
  }

  void find_accesses() {
    travels_.assign(graph_.buffers.size(), false);
    for (int n = 0; n < static_cast<int>(steps_.list.size()); ++n) {
      for (int r : step(n).writes) accesses_[static_cast<std::size_t>(r)].push_back(n);
      for (const Address& read : step(n).reads) {
        accesses_[static_cast<std::size_t>(read.buffer)].push_back(n);
        int writer = maker(read.buffer);
        if (writer >= 0 && !reads_own_part(graph_, placed(writer), placed(n), read))
          travels_[static_cast<std::size_t>(read.buffer)] = true;
      }
    }
    for (const std::vector<int>& steps : accesses_) last_.push_back(last_of(steps));
  }
  bool travels(int r) const { return travels_[static_cast<std::size_t>(r)]; }

  /// The last accesses to a buffer: their phase, the last step there, and the worker that does them all.
  struct Last {
    int phase = -1, step = -1;
    int worker = several;
  };
  static constexpr int several = -1;

  int worker_of(int n) const { return split(n).by == Split::By::worker ? split(n).which : several; }

  Last last_of(const std::vector<int>& steps) const {
    Last last;
    for (int n : steps) {
      bool later = phase(n) > last.phase;
      if (!later && phase(n) < last.phase) continue;
      last.worker = later || last.worker == worker_of(n) ? worker_of(n) : several;
      last.step = later ? n : std::max(last.step, n);
      last.phase = phase(n);
    }
    return last;
  }

  /// The bytes that the buffers of one pool need.
  std::int64_t place_all(bool travelling) {
    std::vector<int> order;
    for (int r = 0; r < static_cast<int>(graph_.buffers.size()); ++r)
      if (is_planned(r) && travels(r) == travelling) order.push_back(r);
    std::ranges::sort(order, {}, [&](int r) { return std::tuple{phase(maker(r)), maker(r), r}; });
    std::vector<int> placed;
    lying_.clear();
    widest_ = 0;
    forgotten_before_ = -1;
    std::int64_t top = 0;
    for (int r : order) {
      forget_before(r);
      if (!take_over(r, placed)) offset(r) = first_gap(r);
      placed.push_back(r);
      lying_.insert(std::ranges::upper_bound(lying_, offset(r), {}, [&](int other) { return offset(other); }),
                    r);
      widest_ = std::max(widest_, extent(r));
      top = std::max(top, offset(r) + extent(r));
    }
    return rounded(top, 2 * line_bytes);
  }

  /// Forgets what is over when r is written, and for all buffers after it: in a phase each worker has its own time.
  void forget_before(int r) {
    int phase = this->phase(maker(r));
    if (phase == forgotten_before_ && !one_worker_) return;
    forgotten_before_ = phase;
    std::erase_if(lying_, [&](int other) {
      bool is_past = !is_kept(other) && last_[static_cast<std::size_t>(other)].phase < phase;
      return is_past || (one_worker_ && is_over(other, r));
    });
  }

  std::int64_t extent(int r) const {
    std::int64_t bytes = rounded(buffer(r).bytes, travels(r) ? 2 * line_bytes : line_bytes);
    return bytes >= large_bytes ? bytes + gap_bytes : bytes;
  }

  /// Puts r where a buffer of the same make lies that is no longer needed, if there is one: first of all an operand.
  bool take_over(int r, const std::vector<int>& placed) {
    std::vector<int> candidates;
    for (const Address& read : step(maker(r)).reads) candidates.push_back(read.buffer);
    std::size_t operands = candidates.size();
    auto oldest = placed.rbegin() + std::min(std::ssize(placed), longest_look_back);
    candidates.insert(candidates.end(), placed.rbegin(), oldest);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      int candidate = candidates[i];
      if (!is_planned(candidate) || travels(candidate) != travels(r) || !alike(candidate, r)) continue;
      offset(r) = offset(candidate);
      if (!is_free_for(r)) continue;
      plan_.shared_in_place += i < operands ? 1 : 0;
      return true;
    }
    return false;
  }

  /// Where r lies now there is nothing that is accessed when it is written, or later, but part by part.
  bool is_free_for(int r) {
    auto lies_at = [&](int other) { return offset(other); };
    auto some = std::ranges::upper_bound(lying_, offset(r) - widest_, {}, lies_at);
    for (; some != lying_.end() && offset(*some) < offset(r) + extent(r); ++some) {
      int other = *some;
      if (offset(other) + extent(other) <= offset(r) || is_over(other, r)) continue;
      if (offset(other) != offset(r) || !alike(other, r) || !is_over_part_by_part(other, r)) return false;
    }
    return true;
  }

  /// The first place that is free for r.
  std::int64_t first_gap(int r) {
    std::int64_t at = 0;
    for (int other : lying_) {
      if (offset(other) >= at + extent(r)) break;
      if (!is_over(other, r)) at = std::max(at, offset(other) + extent(other));
    }
    return at;
  }

  bool alike(int a, int b) const {
    return buffer(a).stored == buffer(b).stored && buffer(a).shard_stride == buffer(b).shard_stride &&
           buffer(a).bytes == buffer(b).bytes && buffer(a).type.bytes() == buffer(b).type.bytes();
  }

  /// Every access to `earlier` happens before `later` is written.
  bool is_over(int earlier, int later) const {
    if (is_kept(earlier)) return false;
    const Last& last = last_[static_cast<std::size_t>(earlier)];
    int writer = maker(later);
    if (last.phase != phase(writer)) return last.phase < phase(writer);
    return last.worker != several && last.worker == worker_of(writer) && last.step < writer;
  }

  bool happens_before(int n, int m) const {
    if (phase(n) != phase(m)) return phase(n) < phase(m);
    return n < m && split(n) == split(m) && split(n).by == Split::By::worker;
  }

  /// The same for buffers at one place that lie alike, worker by worker, tile by tile.
  bool is_over_part_by_part(int earlier, int later) const {
    int writer = maker(later);
    if (is_kept(earlier) || maker(earlier) == writer) return false;
    return std::ranges::all_of(accesses_[static_cast<std::size_t>(earlier)], [&](int n) {
      if (happens_before(n, writer)) return true;
      if (n > writer || phase(n) != phase(writer) || !(split(n) == split(writer))) return false;
      if (n == writer) return is_read_in_place(n, earlier, later);
      return keeps_to_own_part(n, earlier, writer, later);
    });
  }

  /// Step n touches of `earlier`, and `writer` of `later`, only what the worker's own split covers of both.
  bool keeps_to_own_part(int n, int earlier, int writer, int later) const {
    const Split& split = this->split(n);
    auto axis = static_cast<std::size_t>(split.which);
    switch (split.by) {
      case Split::By::worker: break;  // then one happens before the other
      case Split::By::together: return false;
      case Split::By::axis:
        if (!has(buffer(later).stored, axis) || !has(step(writer).outer(), axis)) return false;
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

  /// Within step n, no element of `earlier` is read after that of `later` is written.
  bool is_read_in_place(int n, int earlier, int later) const {
    if (step(n).kind == Step::Kind::region) return is_read_in_place_by_region(step(n), earlier, later);
    const Task& task = graph_.tasks[static_cast<std::size_t>(step(n).tasks[0])];
    std::optional<std::size_t> over = operand_below(task, later);
    if (!over || !(task.operands[*over] == natural_address(graph_, earlier))) return false;
    return std::ranges::count(task.operands, earlier, &Address::buffer) == 1;
  }

  /// The operand that a result of an unfused task may lie over.
  static std::optional<std::size_t> operand_below(const Task& task, int result) {
    if (const auto* work = std::get_if<UnitsWork>(&task.work))
      return result == task.results[0] ? work->units.changes : std::nullopt;
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

  /// It is read element for element.
  bool is_read_in_place_by_region(const Step& region, int earlier, int later) const {
    if (buffer(earlier).type.shape() != buffer(later).type.shape()) return false;
    if (buffer(earlier).type.shape() != region.shape) return false;
    Address own = natural_address(graph_, earlier);
    std::size_t written = position_of_maker(region, later);
    for (std::size_t i = 0; i < region.tasks.size(); ++i) {
      const Task& task = graph_.tasks[static_cast<std::size_t>(region.tasks[i])];
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

  std::size_t position_of_maker(const Step& region, int r) const {
    for (std::size_t i = 0; i < region.tasks.size(); ++i)
      for (int result : graph_.tasks[static_cast<std::size_t>(region.tasks[i])].results)
        if (result == r) return i;
    return 0;
  }

  const Graph& graph_;
  const Steps& steps_;
  const Placement& placement_;
  ArenaPlan plan_;
  std::vector<std::vector<int>> accesses_;  // steps per buffer
  std::vector<Last> last_;                  // per buffer
  std::vector<bool> kept_;                  // per buffer
  std::vector<bool> travels_;               // per buffer
  std::vector<int> lying_;                  // buffers placed so far that may still be accessed, by offset
  std::int64_t widest_ = 0;                 // extent among them
  int forgotten_before_ = -1;               // phase
  bool one_worker_ = false;                 // does everything
};

}  // namespace

ArenaPlan plan_arena(const Graph& graph, const Steps& steps, const Placement& placement) {
  return ArenaPlanner(graph, steps, placement).plan();
}

MayOverwrite may_overwrite(const Graph& graph, const Steps& steps, const Placement& placement) {
  return ArenaPlanner(graph, steps, placement).may_overwrite();
}

}  // namespace tutti
