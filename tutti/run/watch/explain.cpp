// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/explain.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/run/code/future.hpp"
#include "tutti/run/place/cost.hpp"
#include "tutti/run/watch/describe.hpp"
#include "tutti/run/watch/memory.hpp"
#include "tutti/tensor/products/blas.hpp"

namespace tutti {
namespace {

constexpr std::size_t line_length = 120;

std::string in_microseconds(std::optional<double> nanoseconds) {
  return nanoseconds ? fmt::format("{:.2f}", *nanoseconds / 1e3) : "-";
}

std::string columns(const std::string& bytes, const std::string& live, const std::string& about,
                    const std::string& took) {
  return fmt::format("{:>10} {:>10} {:>9} {:>9}  ", bytes, live, about, took);
}

/// The lines of a plan. The lines of sub-programs follow those of their step.
class PlanLines {
 public:
  PlanLines(const Plan& plan, const Circumstances& circumstances, std::string indent)
      : plan_(plan), circumstances_(circumstances), indent_(std::move(indent)), live_(live_bytes(plan)) {
    for (StepId n : steps().ids()) split_width_ = std::max(split_width_, who(n).size());
  }

  std::string text() const {
    std::string text;
    for (std::size_t phase = 0; phase < plan_.placement().phases; ++phase) {
      text += below(fmt::format("phase {}", phase));
      for (StepId n : steps().ids())
        if (assigned(n).phase == phase) text += line(n) + sub_programs(steps()[n]);
    }
    for (const std::string& each : messages_of(plan_.graph().program)) text += below(each);
    return text;
  }

 private:
  const Indexed<StepId, Step>& steps() const { return plan_.steps().list; }
  const Assignment& assigned(StepId n) const { return plan_.placement().of[n]; }
  std::string below(const std::string& text) const { return columns("", "", "", "") + indent_ + text + "\n"; }

  std::string who(StepId n) const {
    if (circumstances_.has_carrier && future_of(plan_.graph(), steps()[n])) return "carrier";
    return split_name(plan_.graph(), assigned(n).split);
  }

  std::string line(StepId n) const {
    const Step& step = steps()[n];
    std::string text = columns(in_bytes(static_cast<std::int64_t>(moved_bytes(plan_.graph(), step))),
                               in_bytes(live_[n]), in_microseconds(estimated(n)), in_microseconds(took(n))) +
                       fmt::format("{}  {:<{}}  {:<7} ", indent_, who(n), split_width_, kind_name(step.kind));
    return text + what(step, line_length - std::min(line_length, text.size())) + "\n";
  }

  /// The first ops of a step, as far as `room` permits, and the user's line, without the file's folders: a
  /// build may name whole paths, which leave no room.
  std::string what(const Step& step, std::size_t room) const {
    Where where = place_of(plan_.graph(), step);
    std::string place, ops;
    if (where.known()) {
      const std::string full = to_string(where);
      place = " (" + full.substr(full.find_last_of('/') + 1) + ")";
    }
    for (std::size_t named = 12; named > 0; --named) {
      ops = ops_of(plan_.graph(), step, named);
      if (ops.size() + place.size() <= room) break;
    }
    return ops + place;
  }

  /// The estimated time of the slowest worker.
  double estimated(StepId n) const {
    return std::ranges::max(loads_of(plan_.graph(), {steps()[n], assigned(n).split}, plan_.costs()[n],
                                     plan_.placement().workers));
  }

  /// The measured time of the slowest worker.
  std::optional<double> took(StepId n) const {
    std::optional<double> longest;
    if (!circumstances_.recording) return longest;
    const auto look_at = [&](const WorkerStep& step) {
      if (step.of == n) longest = std::max(longest, circumstances_.recording->nanoseconds(step));
    };
    for (const std::vector<WorkerStep>& list : plan_.schedule().lists[assigned(n).phase])
      for (const WorkerStep& step : list) {
        const std::span<const WorkerStep> carried = handed_over(*step.code);
        if (carried.empty()) look_at(step);
        for (const WorkerStep& each : carried) look_at(each);
      }
    return longest;
  }

  std::string sub_programs(const Step& step) const {
    const SubWork* work = sub_work(plan_.graph(), step);
    std::string text;
    for (std::size_t i = 0; work && i < work->plans.size(); ++i)
      text += below("    " + part_name(work->sub, i)) +
              PlanLines(*work->plans[i], circumstances_, indent_ + "      ").text();
    return text;
  }

  const Plan& plan_;
  const Circumstances& circumstances_;
  std::string indent_;
  Indexed<StepId, std::int64_t> live_;
  std::size_t split_width_ = 0;
};

std::string workers(const Plan& plan) { return counted(plan.placement().workers, "worker"); }

std::string times(const Plan& plan, const Recording* recording) {
  std::string text = fmt::format("about {} us a call on {}, ",
                                 in_microseconds(plan.placement().times.nanoseconds), workers(plan));
  if (!recording) return text + "not measured (MachineOptions::measure)\n";
  std::int64_t calls = recording->calls();
  if (calls == 0) return text + "not run yet\n";
  std::string of = calls > Recording::most_times ? fmt::format("the last {} of ", Recording::most_times) : "";
  return text + fmt::format("took {} us (median of {}{})\n", in_microseconds(recording->call_nanoseconds()),
                            of, counted(calls, "call"));
}

/// "sends 48 B to other processes and receives 48 B, in 1 transfer a call". Empty if there are none.
std::string messages(const Plan& plan) {
  std::int64_t sent = 0, received = 0, transfers = 0;
  bool has_more = false;
  for (const Task& task : plan.graph().tasks) {
    if (const auto* sub = std::get_if<SubWork>(&task.work))
      has_more |= std::ranges::any_of(sub->times, &PlanTimes::transfers);
    const auto* work = std::get_if<TransferWork>(&task.work);
    if (!work) continue;
    ++transfers;
    for (const TransferWork::Part& part : work->sends) sent += part.bytes;
    for (const TransferWork::Part& part : work->receives) received += part.bytes;
  }
  if (transfers == 0) return has_more ? "sends to other processes in loops and branches\n" : "";
  return fmt::format("sends {} to other processes and receives {}, in {} a call{}\n", in_bytes(sent),
                     in_bytes(received), counted(transfers, "transfer"),
                     has_more ? "; more in loops and branches" : "");
}

/// True if other work may stand between the beginning and the end of a transfer.
bool has_futures(const Plan& plan) {
  return std::ranges::any_of(plan.graph().tasks, [](const Task& task) {
    if (task.future) return true;
    const auto* sub = std::get_if<SubWork>(&task.work);
    return sub && std::ranges::any_of(sub->plans, [](const auto& inside) { return has_futures(*inside); });
  });
}

std::string memory(const Plan& plan, const Circumstances& circumstances) {
  PlanMemory memory = memory_of(plan);
  Indexed<StepId, std::int64_t> live = live_bytes(plan);
  std::int64_t most = live.empty() ? 0 : std::ranges::max(live);
  auto line = [](const char* what, std::int64_t bytes, const std::string& note) {
    return fmt::format("  {:<12} {:>10}{}{}\n", what, in_bytes(bytes), note.empty() ? "" : "  ", note);
  };
  std::string text =
      "memory\n" + line("arguments", memory.arguments, "") + line("results", memory.results, "");
  text += line("arena", memory.arena,
               fmt::format("at most {} at a time; {} in place of an operand", in_bytes(most),
                           counted(plan.arena().shared_in_place, "result")));
  text += line("scratch", memory.scratch, "of " + workers(plan));
  if (memory.inside > 0) text += line("inside", memory.inside, "arenas and scratch of sub-programs");
  text += line("in all", memory.total(), "of a call whose arguments lie as wanted and are kept");
  std::int64_t copies = circumstances.copied_arguments, buffers = circumstances.result_buffers;
  if (copies + buffers == 0) return text;
  return text + line("held now", copies + buffers,
                     fmt::format("until the next calls: copies of arguments {}, buffers of results {}",
                                 in_bytes(copies), in_bytes(buffers)));
}

}  // namespace

std::string explained(const Plan& plan, const Circumstances& circumstances) {
  const Recording* recording = circumstances.recording;
  std::string text = columns("bytes", "arena", "about us", "took us") +
                     "steps: bytes moved; arena in use meanwhile; time of the slowest worker\n" +
                     PlanLines(plan, circumstances, "").text() + times(plan, recording);
  if (!circumstances.shortage.empty()) text += circumstances.shortage + "\n";
  if (circumstances.is_always_crowded)
    text +=
        "there are fewer processors than workers: whoever calls does all the work, one worker's after the "
        "other's\n";
  else if (circumstances.crowded_calls > 0)
    text += fmt::format("one worker did {} of {} alone, because other work used the processors\n",
                        circumstances.crowded_calls, counted(circumstances.copies.calls, "call"));
  if (has_loaded_blas() && blas().is_serialised()) text += fmt::format("{}\n", serialised_blas_note);
  if (!circumstances.has_carrier && has_futures(plan))
    text += "what is started is done at once: MPI takes calls from its main thread alone; initialise it with "
            "MPI_Init_thread and MPI_THREAD_MULTIPLE\n";
  text += messages(plan) + memory(plan, circumstances);
  if (int moved = circumstances.moved_inputs; moved > 0)
    text += fmt::format("{} gathered inside: used whole beside being split\n",
                        counted(moved, "input is", "inputs are"));
  return text + to_string(circumstances.copies);
}

}  // namespace tutti
