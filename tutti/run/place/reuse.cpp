// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/reuse.hpp"

#include <algorithm>

#include "tutti/base/overloaded.hpp"

namespace tutti {
namespace {

bool is_identity(const CopyWork& work) {
  return std::ranges::all_of(work.jobs,
                             [](const CopyWork::Job& job) {
                               return job.from.size() == 1 && job.from[0] == job.to;
                             }) &&
         std::ranges::all_of(work.loops,
                             [](const CopyLoop& loop) { return loop.from_stride == loop.to_stride; });
}

/// The operand whose memory a result of a task outside of regions may reuse; none if there is no such
/// operand.
std::optional<std::size_t> operand_below(const Task& task, BufferId result) {
  if (const auto* work = std::get_if<OpaqueWork>(&task.work))
    return result == task.results[0] ? work->opaque.changes : std::nullopt;
  if (const auto* work = std::get_if<CopyWork>(&task.work))
    return is_identity(*work) ? std::optional<std::size_t>(0) : std::nullopt;
  const auto* work = std::get_if<SubWork>(&task.work);
  if (!work) return std::nullopt;
  auto at = static_cast<std::size_t>(std::ranges::find(task.results, result) - task.results.begin());
  return at < work->over.size() ? work->over[at] : std::nullopt;
}

}  // namespace

Reuse::Reuse(const Graph& graph, const Steps& steps, const Placement& placement)
    : graph_(graph),
      steps_(steps),
      placement_(placement),
      accesses_(graph.buffers.size()),
      kept_(graph.buffers.size()),
      travels_(graph.buffers.size()),
      in_output_(graph.buffers.size()),
      below_(graph.buffers.size()) {
  for (BufferId b : graph.replicas) kept_[b] = true;
  find_accesses();
  find_updates_of_outputs();
}

bool Reuse::is_planned(BufferId b) const {
  return buffer(b).kind == Buffer::Kind::arena && steps_.maker[b] && steps_.in_memory[b] && !in_output_[b];
}

bool Reuse::may_overwrite(BufferId input, BufferId output) const {
  for (std::optional<BufferId> later = output; later; later = below_[*later])
    if (!may_replace(input, *later)) return false;
  return true;
}

std::optional<Reuse::Moment> Reuse::last_access(BufferId b) const {
  if (!last_[b]) return std::nullopt;
  return Moment{last_[b]->phase, last_[b]->step};
}

BufferId Reuse::first_in_memory_of(BufferId output) const {
  while (below_[output]) output = *below_[output];
  return output;
}

Reuse::Moment Reuse::making(BufferId output) const {
  const StepId n = begun(first_in_memory_of(output));
  return {phase(n), n};
}

std::vector<BufferId> Reuse::operands_in_place(BufferId b) const {
  const Step& writer = step(maker(b));
  std::vector<BufferId> operands;
  if (writer.kind == Step::Kind::region) {
    for (const Address& read : writer.reads) operands.push_back(read.buffer);
    return operands;
  }
  const Task& task = graph_.tasks[writer.tasks[0]];
  if (const std::optional<std::size_t> over = operand_below(task, b))
    operands.push_back(task.operands[*over].buffer);
  return operands;
}

std::vector<std::size_t> Reuse::inputs_near(BufferId output) const {
  std::vector<std::size_t> inputs;
  for (BufferId b : operands_in_place(first_in_memory_of(output)))
    if (buffer(b).kind == Buffer::Kind::input) inputs.push_back(buffer(b).number);
  std::ranges::sort(inputs);
  inputs.erase(std::ranges::unique(inputs).begin(), inputs.end());
  return inputs;
}

void Reuse::find_accesses() {
  for (StepId n : steps_.list.ids()) {
    for (BufferId b : step(n).writes) accesses_[b].push_back(n);
    for (const Address& read : step(n).reads) {
      accesses_[read.buffer].push_back(n);
      std::optional<StepId> writer = steps_.maker[read.buffer];
      if (writer && !reads_own_part(graph_, placed(*writer), placed(n), read)) travels_[read.buffer] = true;
    }
  }
  for (const std::vector<StepId>& steps : accesses_) last_.add(last_of(steps));
}

std::optional<std::size_t> Reuse::worker_of(StepId n) const {
  const auto* on = std::get_if<OnWorker>(&split(n));
  return on ? std::optional(on->worker) : std::nullopt;
}

std::optional<Reuse::Last> Reuse::last_of(const std::vector<StepId>& steps) const {
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

/// Follows each output back through the updates that made it. All values on the way use the output's memory.
void Reuse::find_updates_of_outputs() {
  for (BufferId output : graph_.outputs)
    for (BufferId later = output; (below_[later] = updated_value(later)); later = *below_[later])
      in_output_[*below_[later]] = output;
}

std::optional<BufferId> Reuse::updated_value(BufferId later) const {
  if (step(maker(later)).kind == Step::Kind::region) return std::nullopt;
  const std::vector<BufferId> operands = operands_in_place(later);
  if (operands.empty()) return std::nullopt;
  const BufferId earlier = operands[0];
  if (!is_planned(earlier) || !may_replace(earlier, later)) return std::nullopt;
  return earlier;
}

bool Reuse::may_replace(BufferId earlier, BufferId later) const {
  return have_one_layout(earlier, later) && buffer(earlier).axes == buffer(later).axes &&
         may_lie_over(later, earlier);
}

bool Reuse::have_one_layout(BufferId a, BufferId b) const {
  return buffer(a).stored == buffer(b).stored && buffer(a).shard_stride == buffer(b).shard_stride &&
         buffer(a).bytes == buffer(b).bytes && buffer(a).type.bytes() == buffer(b).type.bytes();
}

/// True if every access to `earlier` happens before `later` is written.
bool Reuse::is_dead_before(BufferId earlier, BufferId later) const {
  if (is_kept(earlier)) return false;
  const std::optional<Last>& last = last_[earlier];
  if (!last) return true;
  StepId writer = begun(later);
  if (last->phase != phase(writer)) return last->phase < phase(writer);
  return last->worker && last->worker == worker_of(writer) && last->step < writer;
}

bool Reuse::happens_before(StepId n, StepId m) const {
  if (phase(n) != phase(m)) return phase(n) < phase(m);
  return n < m && split(n) == split(m) && worker_of(n);
}

/// Like is_dead_before(), but worker by worker and tile by tile; for two buffers with the same offset and
/// layout.
bool Reuse::is_dead_part_by_part(BufferId earlier, BufferId later) const {
  StepId writer = begun(later);
  if (is_kept(earlier) || steps_.begun[earlier] == writer) return false;
  return std::ranges::all_of(accesses_[earlier], [&](StepId n) {
    if (happens_before(n, writer)) return true;
    if (n > writer || phase(n) != phase(writer) || !(split(n) == split(writer))) return false;
    if (n == writer) return is_read_in_place(n, earlier, later);
    return keeps_to_own_part(n, earlier, writer, later);
  });
}

/// True if in step n each worker touches only its own part of `earlier`, and in `writer` only its own part
/// of `later`.
bool Reuse::keeps_to_own_part(StepId n, BufferId earlier, StepId writer, BufferId later) const {
  const bool is_apart =
      std::visit(Overloaded{[](OnWorker) { return true; },  // then happens_before() decides
                            [](Together) { return false; },
                            [&](ByAxis by) {
                              return has(buffer(later).stored, by.axis) && has(step(writer).outer(), by.axis);
                            },
                            [&](ByTiles) {
                              return tiles_alike(step(n), step(writer)) &&
                                     buffer(later).type.shape() == step(n).shape &&
                                     buffer(earlier).type.shape() == step(n).shape;
                            }},
                 split(n));
  if (!is_apart) return false;
  for (const Address& read : step(n).reads)
    if (read.buffer == earlier && !reads_own_part(graph_, placed(n), placed(n), read)) return false;
  return true;
}

/// True if step n reads no element of `earlier` after it has written that element of `later`.
bool Reuse::is_read_in_place(StepId n, BufferId earlier, BufferId later) const {
  if (step(n).kind == Step::Kind::region) return is_read_in_place_by_region(step(n), earlier, later);
  const Task& task = graph_.tasks[step(n).tasks[0]];
  std::optional<std::size_t> over = operand_below(task, later);
  if (!over || !(task.operands[*over] == natural_address(graph_, earlier))) return false;
  return std::ranges::count(task.operands, earlier, &Address::buffer) == 1;
}

/// True if the region reads `earlier` only element by element, and in no task after the maker of `later`.
bool Reuse::is_read_in_place_by_region(const Step& region, BufferId earlier, BufferId later) const {
  if (buffer(earlier).type.shape() != buffer(later).type.shape()) return false;
  if (buffer(earlier).type.shape() != region.shape) return false;
  Address own = natural_address(graph_, earlier);
  std::size_t written = position_of_maker(region, later);
  for (std::size_t i = 0; i < region.tasks.size(); ++i) {
    const Task& task = graph_.tasks[region.tasks[i]];
    for (const Address& operand : task.operands) {
      if (operand.buffer != earlier) continue;
      if (assembles(task)) return false;  // reads other elements, and later
      std::size_t read = region.uses.done_at(i);
      if (read > written || (read == written && !std::holds_alternative<PointwiseWork>(task.work)))
        return false;
      if (operand.offset != 0 || operand.axes != own.axes || task.shape != region.shape) return false;
      if (!is_dense(operand, region.shape, element_bytes(graph_, operand))) return false;
    }
  }
  return true;
}

std::size_t Reuse::position_of_maker(const Step& region, BufferId b) const {
  for (std::size_t i = 0; i < region.tasks.size(); ++i)
    for (BufferId result : graph_.tasks[region.tasks[i]].results)
      if (result == b) return i;
  return 0;
}

}  // namespace tutti
