// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/plan_report.hpp"

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

/// The steps of a plan, phase by phase. A step holds the plans of its sub-programs.
class PlanSteps {
 public:
  PlanSteps(const Plan& plan, const Circumstances& circumstances)
      : plan_(plan),
        circumstances_(circumstances),
        ops_(equation_ops(plan.graph().program)),
        live_(live_bytes(plan)) {}

  Report::SubPlan all(std::string name) const {
    Report::SubPlan all{std::move(name), plan_.placement().phases, {}, exchanges_of(plan_.graph().program)};
    for (std::size_t phase = 0; phase < all.phases; ++phase)
      for (StepId n : plan_.steps().list.ids())
        if (assigned(n).phase == phase) all.steps.push_back(step(n));
    return all;
  }

 private:
  const Graph& graph() const { return plan_.graph(); }
  const Assignment& assigned(StepId n) const { return plan_.placement().of[n]; }

  Report::Step step(StepId n) const {
    const Step& step = plan_.steps().list[n];
    const bool is_carried = circumstances_.has_carrier && future_of(graph(), step);
    Report::Step row{.phase = assigned(n).phase,
                     .kind = kind_name(step.kind),
                     .split = is_carried ? "carrier" : split_name(graph(), assigned(n).split),
                     .ops = ops_of(graph(), step, ops_),
                     .where = place_of(graph(), step),
                     .bytes = static_cast<std::int64_t>(moved_bytes(graph(), step)),
                     .arena_in_use = live_[n],
                     .estimated = loads_of(graph(), {step, assigned(n).split}, plan_.costs()[n],
                                           plan_.placement().workers),
                     .transfers = transfers_of(graph(), step),
                     .parts = {}};
    measure(n, row);
    const SubWork* work = sub_work(graph(), step);
    for (std::size_t i = 0; work && i < work->plans.size(); ++i)
      row.parts.push_back(
          PlanSteps(*work->plans[i], circumstances_).all(part_name(work->sub.how, work->sub.length, i)));
    return row;
  }

  /// Adds the measured times, if there are any.
  void measure(StepId n, Report::Step& row) const {
    if (!circumstances_.recording) return;
    const auto& lists = plan_.schedule().lists[assigned(n).phase];
    std::vector<double> of_workers(lists.size());
    for (std::size_t worker = 0; worker < lists.size(); ++worker) {
      const auto look_at = [&](const WorkerStep& step) {
        if (step.of != n) return;
        const std::optional<double> took = circumstances_.recording->nanoseconds(step);
        row.measured = std::max(row.measured, took);
        of_workers[worker] += took.value_or(0);
      };
      for (const WorkerStep& step : lists[worker]) {
        const std::span<const WorkerStep> carried = handed_over(*step.code);
        if (carried.empty()) look_at(step);
        for (const WorkerStep& each : carried) look_at(each);
      }
    }
    if (row.measured) row.measured_parts = std::move(of_workers);
  }

  const Plan& plan_;
  const Circumstances& circumstances_;
  std::vector<Report::StepOp> ops_;  // of all equations
  Indexed<StepId, std::int64_t> live_;
};

/// True if other work may stand between the beginning and the end of a transfer.
bool has_futures(const Plan& plan) {
  return std::ranges::any_of(plan.graph().tasks, [](const Task& task) {
    if (task.future) return true;
    const auto* sub = std::get_if<SubWork>(&task.work);
    return sub && std::ranges::any_of(sub->plans, [](const auto& inside) { return has_futures(*inside); });
  });
}

std::vector<std::string> conditions(const Plan& plan, const Circumstances& circumstances) {
  std::vector<std::string> lines;
  if (!circumstances.shortage.empty()) lines.push_back(circumstances.shortage);
  if (circumstances.is_always_crowded)
    lines.emplace_back(
        "there are fewer processors than workers: whoever calls does all the work, one worker's after the "
        "other's");
  else if (circumstances.crowded_calls > 0)
    lines.push_back(fmt::format("one worker did {} of {} alone, because other work used the processors",
                                circumstances.crowded_calls, counted(circumstances.copies.calls, "call")));
  if (has_loaded_blas() && blas().is_serialised()) lines.emplace_back(serialised_blas_note);
  if (!circumstances.has_carrier && has_futures(plan))
    lines.emplace_back(
        "what is started is done at once: MPI takes calls from its main thread alone; initialise it with "
        "MPI_Init_thread and MPI_THREAD_MULTIPLE");
  return lines;
}

/// Adds the bytes of all transfers.
void add_transfers(const Plan& plan, Report::StepPlan& report) {
  Report::Transfers all;
  for (const Task& task : plan.graph().tasks) {
    if (const auto* sub = std::get_if<SubWork>(&task.work))
      report.has_inner_transfers |= std::ranges::any_of(sub->times, &PlanTimes::transfers);
    const auto* work = std::get_if<TransferWork>(&task.work);
    if (!work) continue;
    const Report::Transfers own = transfers_of(*work);
    all = {all.sent + own.sent, all.received + own.received};
    ++report.transfer_steps;
  }
  if (report.transfer_steps > 0) report.transfers = all;
}

std::optional<Report::Measured> measured(const Recording* recording) {
  if (!recording) return std::nullopt;
  const std::int64_t calls = recording->calls();
  return Report::Measured{calls, std::min<std::int64_t>(calls, Recording::most_times),
                          recording->call_nanoseconds()};
}

}  // namespace

Report::StepPlan step_plan(const Plan& plan, const Circumstances& circumstances) {
  Report::StepPlan report;
  report.workers = plan.placement().workers;
  report.plan = PlanSteps(plan, circumstances).all("");
  report.estimated = plan.placement().times.nanoseconds;
  report.measured = measured(circumstances.recording);
  add_transfers(plan, report);
  report.buffers = buffers_of(plan, equation_ops(plan.graph().program));
  report.memory = memory_of(plan);
  report.memory.held_copies = circumstances.copied_arguments;
  report.memory.held_results = circumstances.result_buffers;
  report.copies = circumstances.copies;
  report.moved_inputs = circumstances.moved_inputs;
  report.conditions = conditions(plan, circumstances);
  return report;
}

}  // namespace tutti
