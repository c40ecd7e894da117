// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/recording.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "tutti/run/code/future.hpp"
#include "tutti/run/place/cost.hpp"
#include "tutti/run/watch/describe.hpp"
#include "tutti/run/watch/event_label.hpp"

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

std::vector<int> awaited_processes(const Graph& graph, const Step& step) {
  std::vector<int> processes;
  if (const auto* work = std::get_if<TransferWork>(&graph.tasks[step.tasks[0]].work))
    for (const TransferWork::Part& part : work->receives)
      if (std::ranges::find(processes, part.process) == processes.end()) processes.push_back(part.process);
  return processes;
}

/// The label of a worker's part of a step. `part`: the role of the step's program in its enclosing step; may
/// be empty.
std::string step_label(const Plan& plan, StepId n, std::size_t worker, const std::string& part,
                       double bytes) {
  const Step& step = plan.steps().list[n];
  const Assignment& assigned = plan.placement().of[n];
  Json args;
  if (Where where = place_of(plan.graph(), step); where.known()) args["line"] = to_string(where);
  args["phase"] = assigned.phase;
  args["split"] = split_name(plan.graph(), assigned.split);
  if (!std::holds_alternative<OnWorker>(assigned.split))
    args["part"] = fmt::format("{} of {}", worker + 1, plan.placement().workers);
  if (!part.empty()) args["in"] = part;
  if (const std::vector<int> others = awaited_processes(plan.graph(), step); !others.empty())
    args["waits for"] = names_of(others);
  args["bytes"] = static_cast<std::int64_t>(bytes);
  std::string ops = op_names(plan.graph(), step), kind = kind_name(step.kind);
  return event_label(ops.empty() ? kind : ops, kind, args);
}

double bytes_moved(const Plan& plan) {
  double bytes = 0;
  for (const Step& step : plan.steps().list) bytes += moved_bytes(plan.graph(), step);
  return bytes;
}

}  // namespace

Recording::Recording(const Plan& plan, Timeline& timeline, const Where& compiled_at) : timeline_(timeline) {
  double bytes = bytes_moved(plan);
  Json args;
  if (compiled_at.known()) args["line"] = to_string(compiled_at);
  args["phases"] = plan.placement().phases;
  args["bytes"] = static_cast<std::int64_t>(bytes);
  known_[&call_] = {event_label(fmt::format("program {}", timeline.next_program()), "call", args), bytes};
  known_[nullptr] = {event_label("wait", "wait", {{"for", "the other workers"}})};
  add_steps(plan, "");
}

void Recording::add_steps(const Plan& plan, const std::string& part) {
  const Steps& steps = plan.steps();
  for (const auto& phase : plan.schedule().lists)
    for (std::size_t w = 0; w < phase.size(); ++w)
      for (const WorkerStep& step : phase[w]) {
        const SplitStep whole{steps.list[step.of], plan.placement().of[step.of].split};
        double all = moved_bytes(plan.graph(), whole.step);
        double bytes = divided(plan.graph(), whole, plan.placement().workers, all)[w];
        const std::span<const WorkerStep> carried = handed_over(*step.code);
        for (const WorkerStep& each : carried) {
          const double moved = moved_bytes(plan.graph(), steps.list[each.of]);
          known_[&each] = {step_label(plan, each.of, w, part, moved), moved};
        }
        known_[&step] = {step_label(plan, step.of, w, part, bytes), carried.empty() ? bytes : 0};
      }
  for (const Step& step : steps.list)
    if (const SubWork* work = sub_work(plan.graph(), step))
      for (std::size_t i = 0; i < work->plans.size(); ++i)
        add_steps(*work->plans[i], part_name(work->sub.how, work->sub.length, i));
}

void Recording::call(const std::function<void()>& run) {
  std::lock_guard lock(timeline_.turn());
  std::exception_ptr failure;
  try {
    Track::Span whole(track(0), &call_);
    run();
  } catch (...) {
    failure = std::current_exception();
  }
  take_notes();
  if (failure) std::rethrow_exception(failure);
}

void Recording::take_notes() try {
  for (const Timeline::Recorded& recorded : timeline_.take()) {
    StepRecord& known = known_.at(recorded.event.step);
    auto time =
        std::chrono::duration_cast<std::chrono::nanoseconds>(recorded.event.end - recorded.event.begin);
    known.last[static_cast<std::size_t>(known.runs++ % most_times)] = time.count();
    timeline_.add(recorded, known.label, known.bytes);
  }
  timeline_.write();
} catch (const std::bad_alloc&) {  // the call must not fail because its events are lost
  timeline_.give_up(ENOMEM);
}

std::optional<double> Recording::nanoseconds_of(const WorkerStep* step) const {
  const StepRecord& known = known_.at(step);
  if (known.runs == 0) return std::nullopt;
  auto last = known.last;
  auto end = last.begin() + std::min<std::int64_t>(known.runs, most_times),
       middle = last.begin() + (end - last.begin()) / 2;
  std::nth_element(last.begin(), middle, end);
  return static_cast<double>(*middle);
}

}  // namespace tutti
