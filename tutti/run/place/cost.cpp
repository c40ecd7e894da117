// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/cost.hpp"

#include <algorithm>

#include "tutti/devices/cache.hpp"

namespace tutti {
namespace {

constexpr double nanoseconds_per_instruction = 6;   // bench/scalars: 5.8 to 6.7 of processor time; 2026-11-23
constexpr double copy_nanoseconds_per_byte = 0.05;  // 20 GB/s

/// Elements of f32 per nanosecond.
double of_f32(const Work& work) {
  constexpr double rate_of_others = 12;
  const auto* pointwise = std::get_if<PointwiseWork>(&work);
  if (!pointwise) return rate_of_others;
  if (const auto* fn = std::get_if<UnaryFn>(&pointwise->fn.fn)) return facts_of(*fn).rate;
  const auto* fn = std::get_if<BinaryFn>(&pointwise->fn.fn);
  return fn ? facts_of(*fn).rate : rate_of_others;
}

/// Vectors have half as many f64, and elementary functions need more terms for them.
double elements_per_nanosecond(const Graph& graph, const Task& task) {
  const double rate = of_f32(task.work);
  if (graph.buffers[task.results[0]].type.dtype() != DType::f64) return rate;
  return rate < 12 ? rate / 6 : rate / 2;
}

enum class By { one, all };

/// Time of a step of sub-programs. A while loop is assumed to make `assumed_trips` iterations.
double of_control(const Graph& graph, const SubWork& work, By by) {
  constexpr double assumed_iterations = 10;
  double dearest = 0, all = 0;
  for (const PlanTimes& times : work.times) {
    double once = by == By::one ? times.alone_nanoseconds : times.nanoseconds + 2 * barrier_nanoseconds;
    dearest = std::max(dearest, once);
    all += once;
  }
  auto ways = static_cast<double>(positions(graph.mesh, work.divergent));
  switch (work.sub.how) {
    case SubPrograms::Control::choose: return 20 + ways * dearest;
    case SubPrograms::Control::repeat: return 20 + static_cast<double>(work.sub.length) * all;
    case SubPrograms::Control::loop: return 20 + ways * assumed_iterations * all;
  }
  return 0;
}

bool fits_last_cache(double bytes, const Caches& caches) {
  constexpr double surely_cached = 8 << 20;
  return bytes <= surely_cached || bytes <= 1.5 * caches.last_bytes;
}

/// Bytes per nanosecond. `own`: the step's bytes fit into the workers' own caches. `last`: they fit into
/// the last cache. `memory`: they fit into neither.
struct Rates {
  double own, last, memory;
};
// bench/kernels, add: 81, 26, 12; columns: 60 in L2, 24 to 70 in the last cache, 12 in memory; transposition:
// 36, 6, 4; 2026-11-28, on busy machines. Rates of copies were set with bench/collectives, 2026-11-22.
constexpr Rates region_rates{60, 40, 15}, columns_rates{40, 32, 12};
constexpr Rates copy_rates{80, 40, 16}, short_run_rates{30, 7, 5};

double nanoseconds_to_move(double bytes, const Rates& rates, const Caches& caches) {
  if (bytes <= caches.own_bytes) return bytes / rates.own;
  return bytes / (fits_last_cache(bytes, caches) ? rates.last : rates.memory);
}

double of_region(const Graph& graph, const Step& step, AxisSet merged, const Caches& caches) {
  double work = 0;
  auto tiles = static_cast<double>(space_of(graph, step, merged).tiles() *
                                   positions(graph.mesh, step.outer() & ~merged));
  for (TaskId i : step.tasks) {
    const Task& task = graph.tasks[i];
    double elements =
        static_cast<double>(task.shape.elements()) * static_cast<double>(positions(graph.mesh, task.axes));
    if (const FoldWork* fold = fold_of_terms(task)) elements *= static_cast<double>(fold->terms.size());
    work += elements / elements_per_nanosecond(graph, task) + nanoseconds_per_instruction * tiles;
  }
  return 10 + work + nanoseconds_to_move(moved_bytes(graph, step), region_rates, caches);
}

/// Bytes of the dense runs that a copy moves.
std::int64_t run_bytes(const CopyWork& work, std::int64_t element) {
  if (work.loops.empty()) return element;
  const CopyLoop& inner = work.loops.back();
  return inner.to_stride == element && inner.from_stride == element ? inner.size * element : element;
}

double of_copy(const Graph& graph, const Step& step, const Caches& caches) {
  constexpr std::int64_t short_run_bytes = 256;  // shorter runs cost a call each, or are single elements
  const Task& task = graph.tasks[step.tasks[0]];
  const auto& work = std::get<CopyWork>(task.work);
  std::int64_t run = run_bytes(work, element_bytes(graph, task.operands[0]));
  double bytes = moved_bytes(graph, step);
  std::size_t sources = 0;
  for (const CopyWork::Job& job : work.jobs) sources += job.from.size();
  if (sources > work.jobs.size())  // the copy folds
    bytes *= static_cast<double>(sources) / static_cast<double>(work.jobs.size());
  return 20 + 8 * static_cast<double>(work.jobs.size()) +
         nanoseconds_to_move(bytes, run < short_run_bytes ? short_run_rates : copy_rates, caches);
}

/// A message between two processes of one host; chosen.
double of_transfer(const Graph& graph, const Step& step) {
  constexpr double nanoseconds_per_message = 1000, nanoseconds_per_byte = 0.2;
  double time = 0;
  for (const TransferWork::Part& part : std::get<TransferWork>(graph.tasks[step.tasks[0]].work).receives)
    time += nanoseconds_per_message + nanoseconds_per_byte * static_cast<double>(part.bytes);
  return time;
}

/// Time of all units of a step on one worker. The outer axes `merged` are part of a region's space.
double estimate(const Graph& graph, const Step& step, AxisSet merged, const Caches& caches) {
  auto units = static_cast<double>(positions(graph.mesh, step.outer()));
  switch (step.kind) {
    case Step::Kind::region: return of_region(graph, step, merged, caches);
    case Step::Kind::columns:
      return 20 + 20 * units + nanoseconds_to_move(moved_bytes(graph, step), columns_rates, caches);
    case Step::Kind::copy: return of_copy(graph, step, caches);
    case Step::Kind::opaque:
      return units * std::get<OpaqueWork>(graph.tasks[step.tasks[0]].work).opaque.nanoseconds + 20;
    case Step::Kind::transfer: return of_transfer(graph, step);
    case Step::Kind::await: return 0;
    case Step::Kind::control: return of_control(graph, *sub_work(graph, step), By::one);
  }
  return 0;
}

/// The last step that reads each buffer.
Indexed<BufferId, std::optional<StepId>> last_readers(const Graph& graph, const Steps& steps) {
  Indexed<BufferId, std::optional<StepId>> last(graph.buffers.size());
  for (StepId n : steps.list.ids())
    for (const Address& read : steps.list[n].reads) last[read.buffer] = n;
  return last;
}

/// The time to copy an operand before a step changes some of its elements. 0 if the step can most likely
/// change them in place.
double of_copied_operand(const Graph& graph, StepId n, const Step& step,
                         const Indexed<BufferId, std::optional<StepId>>& last_readers) {
  const auto* work = std::get_if<OpaqueWork>(&graph.tasks[step.tasks[0]].work);
  if (!work || !work->opaque.changes) return 0;
  const Address& operand = graph.tasks[step.tasks[0]].operands[*work->opaque.changes];
  const Buffer& buffer = graph.buffers[operand.buffer];
  const bool is_free =
      buffer.kind == Buffer::Kind::arena || (buffer.kind == Buffer::Kind::input && graph.is_sub_program);
  if (is_free && last_readers[operand.buffer] == n) return 0;
  return static_cast<double>(positions(graph.mesh, step.outer())) * static_cast<double>(buffer.type.bytes()) *
         copy_nanoseconds_per_byte;
}

}  // namespace

Caches caches_of_machine(int workers) {
  return {static_cast<double>(core_cache_bytes()) * workers, static_cast<double>(last_cache_bytes())};
}

double moved_bytes(const Graph& graph, const Step& step) {
  double bytes = 0;
  for (const Address& read : step.reads) bytes += bytes_read(graph, step, read);
  for (BufferId buffer : step.writes) bytes += bytes_read(graph, step, natural_address(graph, buffer));
  return bytes;
}

double bytes_read(const Graph& graph, const Step& step, const Address& address) {
  const Buffer& buffer = graph.buffers[address.buffer];
  AxisSet read = 0;
  for (std::size_t i = 0; i < address.axes.size(); ++i)
    if (address.axes[i] != 0) read |= AxisSet{1} << i;
  auto bytes = static_cast<double>(buffer.type.bytes());
  bool reads_what_it_makes = step.kind == Step::Kind::region || step.kind == Step::Kind::copy;
  if (reads_what_it_makes)  // of a buffer that the step slices, only the slice
    bytes = std::min(bytes, static_cast<double>(step.shape.elements() * element_bytes(graph, address)));
  double all = bytes * static_cast<double>(positions(graph.mesh, buffer.stored | read));
  return std::min(all, static_cast<double>(buffer.bytes));
}

StepCosts costs_of(const Graph& graph, const Steps& steps, Stores stores, const Caches& caches) {
  StepCosts costs;
  const Indexed<BufferId, std::optional<StepId>> readers = last_readers(graph, steps);
  for (StepId n : steps.list.ids()) {
    const Step& step = steps.list[n];
    const double bytes = moved_bytes(graph, step), copied = of_copied_operand(graph, n, step, readers);
    const double together = step.kind == Step::Kind::control
                                ? of_control(graph, *sub_work(graph, step), By::all)
                                : estimate(graph, step, 0, caches);
    costs.add({.nanoseconds = copied + estimate(graph, step, step.mergeable, caches),
               .split_nanoseconds = copied + together,
               .is_large = stores == Stores::streamed || !fits_last_cache(bytes, caches),
               .fits_own_caches = bytes <= caches.own_bytes});
  }
  return costs;
}

}  // namespace tutti
