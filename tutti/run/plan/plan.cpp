// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tutti/base/error.hpp"
#include "tutti/run/graph/at_position.hpp"
#include "tutti/run/place/pairing.hpp"
#include "tutti/run/plan/control_steps.hpp"
#include "tutti/run/plan/schedule_memory.hpp"

namespace tutti {
namespace {

using Strides = std::vector<std::int64_t>;

Error stopped() {
  return {Code::stopped, {}, "stopped before this step, because MachineOptions::stop was requested"};
}

/// Makes the plans of one task's sub-programs.
class SubPlanner {
 public:
  SubPlanner(const Graph& graph, const Task& task, const Processes& processes, const PlanOptions& options)
      : graph_(graph),
        task_(task),
        work_(std::get<SubWork>(task.work)),
        options_(options),
        processes_(processes.whole()) {
    for (std::size_t i = 0; i < graph.mesh.axes().size(); ++i)
      if (has(work_.divergent, i)) divergent_.push_back(graph.mesh.axes()[i]);
    mesh_ = graph.mesh.without(divergent_);
    processes_ = processes.without(divergent_);
  }

  std::vector<std::shared_ptr<Plan>> plans() const {
    std::vector<std::shared_ptr<Plan>> made;
    bool never_runs = work_.sub.how == SubPrograms::Control::repeat && work_.sub.length == 0;
    if (never_runs) return made;  // stacked values have no slice to plan for
    for (std::size_t i = 0; i < work_.sub.programs.size(); ++i) {
      const Program& program = *work_.sub.programs[i];
      bool is_test = work_.sub.how == SubPrograms::Control::loop && i == 0;
      Ports ports;
      ports.inputs.assign(divergent_.size(), Strides(mesh_.axes().size(), 0));
      std::size_t skipped = work_.sub.how == SubPrograms::Control::choose ? 1 : 0;  // the index
      for (std::size_t k = skipped; k < task_.operands.size(); ++k)
        ports.inputs.push_back(left_over(task_.operands[k].axes));
      if (is_test) ports.outputs.push_back(test_result_strides(mesh_));
      else
        for (std::size_t k = 0; k < program.outputs.size(); ++k)
          ports.outputs.push_back(left_over(graph_.buffers[task_.results[k]].axes));
      made.push_back(std::make_shared<Plan>(at_position(program, divergent_), processes_, options_, ports));
    }
    return made;
  }

  /// The other processes at this one's place along the divergent axes.
  std::vector<int> others() const {
    std::vector<int> others;
    for (const std::vector<int>& place : processes_.places())
      if (const int process = processes_.number(place); process != processes_.self())
        others.push_back(process);
    return others;
  }

 private:
  /// The strides along the axes of the sub-program's mesh.
  Strides left_over(const Strides& axes) const {
    Strides left;
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (!has(work_.divergent, i)) left.push_back(axes[i]);
    return left;
  }

  const Graph& graph_;
  const Task& task_;
  const SubWork& work_;
  PlanOptions options_;
  Axes divergent_;
  Mesh mesh_;
  Processes processes_;
};

/// The input of a plan that receives operand k. Coordinates come first; the index of a switch is no input.
std::size_t slot_of(const SubWork& work, std::size_t k) {
  return static_cast<std::size_t>(std::popcount(work.divergent)) + k -
         (work.sub.how == SubPrograms::Control::choose ? 1 : 0);
}
/// The first plan that computes results. The test of a while loop comes first and computes none.
std::size_t first_with_results(const SubWork& work) {
  return work.sub.how == SubPrograms::Control::loop ? 1 : 0;
}

/// Says which results of a task with sub-programs may be written over which operands.
class InsideReuse {
 public:
  explicit InsideReuse(const SubWork& work) : work_(work) {
    for (std::size_t p = first_with_results(work); p < work.plans.size(); ++p) {
      const Plan& plan = *work.plans[p];
      branches_.push_back(
          {plan, input_buffers(plan.graph()), Reuse(plan.graph(), plan.steps(), plan.placement())});
    }
  }

  /// True if every plan that computes results may write result r over operand k.
  bool fits(std::size_t k, std::size_t r) const {
    return std::ranges::all_of(branches_, [&](const Branch& branch) {
      return branch.reuse.may_overwrite(branch.inputs[slot_of(work_, k)], branch.plan.graph().outputs[r]);
    });
  }

  /// Per result of a switch: the operand that it is written over. The first branch says which ones are tried
  /// first.
  std::vector<std::optional<std::size_t>> chosen(std::size_t operands) const {
    const Branch& first = branches_.front();
    const Graph& graph = first.plan.graph();
    const std::size_t slots_before = slot_of(work_, 1);
    Pairing pairing;
    for (std::size_t slot = slots_before; slot < slots_before + operands - 1; ++slot)
      pairing.inputs.push_back({static_cast<std::size_t>(graph.buffers[first.inputs[slot]].bytes),
                                first.reuse.last_access(first.inputs[slot])});
    for (BufferId output : graph.outputs) {
      std::vector<std::size_t> near = first.reuse.inputs_near(output);
      std::erase_if(near, [&](std::size_t slot) { return slot < slots_before; });
      for (std::size_t& slot : near) slot -= slots_before;
      pairing.outputs.push_back({static_cast<std::size_t>(graph.buffers[output].bytes),
                                 first.reuse.making(output), std::move(near)});
    }
    pairing.may = [&](std::size_t input, std::size_t r) { return fits(input + 1, r); };
    std::vector<std::optional<std::size_t>> over = paired(pairing);
    for (std::optional<std::size_t>& operand : over)
      if (operand) ++*operand;  // operand 0 is the index
    return over;
  }

 private:
  struct Branch {
    const Plan& plan;
    std::vector<BufferId> inputs;
    Reuse reuse;
  };
  const SubWork& work_;
  std::vector<Branch> branches_;
};

/// Fills in work.over. The second buffer of a carry that is updated in place gets 0 bytes.
void find_results_over_operands(Graph& graph, Task& task) {
  auto& work = std::get<SubWork>(task.work);
  std::size_t results = graph.program.equations[*task.equation].results.size();
  work.over.assign(results, std::nullopt);
  if (work.plans.empty()) return;
  const InsideReuse reuse(work);
  if (work.sub.how == SubPrograms::Control::choose) {
    work.over = reuse.chosen(task.operands.size());
    return;
  }
  for (std::size_t c = 0; c < work.sub.carries; ++c)
    if (reuse.fits(work.sub.consts + c, c)) {
      work.over[c] = work.sub.consts + c;
      graph.buffers[task.results[results + c]].bytes = 0;  // the second buffer
    }
}

Graph with_sub_plans(Graph graph, const Processes& processes, const PlanOptions& options) {
  for (Task& task : graph.tasks)
    if (SubWork* work = std::get_if<SubWork>(&task.work)) try {
        const SubPlanner planner(graph, task, processes, options);
        work->plans = planner.plans();
        for (const std::shared_ptr<Plan>& plan : work->plans) work->times.push_back(plan->placement().times);
        if (std::ranges::any_of(work->times, &PlanTimes::transfers)) work->others = planner.others();
        find_results_over_operands(graph, task);
      } catch (const Error& error) {
        rethrow_at(graph, task.equation, error);
      }
  return graph;
}

/// The arena. Throws R003 at its largest value if it takes more than `most_bytes`.
ArenaPlan within(std::optional<std::int64_t> most_bytes, const Graph& graph, ArenaPlan arena) {
  if (!most_bytes || arena.bytes <= *most_bytes) return arena;
  const Buffer& largest = *largest_in_arena(graph, arena);
  rethrow_at(graph, largest.equation,
             Error(Code::memory, {},
                   fmt::format("the values between arguments and results take {} bytes, but "
                               "MachineOptions::memory allows {}; the largest value, {}, takes {} bytes; "
                               "compute in parts, or allow more",
                               arena.bytes, *most_bytes, to_string(largest.type), largest.bytes)));
}

}  // namespace

Plan::Plan(const Program& local, const Processes& processes, const PlanOptions& options,
           const std::optional<Ports>& ports)
    : graph_(with_sub_plans(make_graph(local, processes, options, ports), processes, options)),
      steps_(make_steps(graph_, options.fusion)),
      costs_(costs_of(graph_, steps_, options.stores,
                      options.caches.value_or(caches_of_machine(options.workers)))),
      placement_(place(graph_, steps_, costs_, options.workers, options.choice)),
      arena_(within(options.most_bytes, graph_, plan_arena(graph_, steps_, placement_))),
      schedule_(make_schedule(graph_, steps_, costs_, placement_, arena_)) {
  for (const std::shared_ptr<std::byte>& scratch : schedule_.scratch)
    contexts_.push_back({scratch.get(), {}, {}});
  slots_.resize(schedule_.relocations.size());
}

void Plan::run(const Crew& crew) {
  for (std::size_t phase = 0; phase < schedule_.lists.size(); ++phase) {
    if (crew.alone()) {
      for (std::size_t worker = 0; worker < contexts_.size(); ++worker) run_list(phase, worker, crew);
    } else {
      if (phase > 0) crew.meet();
      run_list(phase, static_cast<std::size_t>(crew.worker), crew);
    }
  }
}

void Plan::run_list(std::size_t phase, std::size_t worker, const Crew& crew) {
  const WorkerStep* step = nullptr;
  StepContext& context = contexts_[worker];
  context.crew = crew;
  const std::vector<WorkerStep>& list = schedule_.lists[phase][worker];
  try {
    if (crew.track || crew.stop) {
      for (const WorkerStep& next : list) {
        step = &next;
        if (crew.stop && crew.stop->stop_requested()) throw stopped();
        Track::Span span(crew.track, &next);
        next.code->run(next, context);
      }
    } else {
      for (const WorkerStep& next : list) {
        step = &next;
        next.code->run(next, context);
      }
    }
  } catch (const Error& error) {
    rethrow_at(graph_, first_equation(*step), error);
  } catch (const std::bad_alloc&) {
    rethrow_at(graph_, first_equation(*step),
               Error(Code::memory, {}, "no memory for the scratch of this step"));
  }
}

void Plan::require_no_stop(const std::stop_token& stop) const {
  if (!stop.stop_requested()) return;
  std::optional<std::size_t> first;
  if (!steps_.list.empty()) first = graph_.tasks[steps_.list[StepId{0}].tasks[0]].equation;
  rethrow_at(graph_, first, stopped());
}

bool may_throw(const Plan& plan) {
  return std::ranges::any_of(plan.graph().tasks, [](const Task& task) {
    if (const auto* opaque = std::get_if<OpaqueWork>(&task.work)) return opaque->opaque.may_throw;
    if (const auto* copy = std::get_if<CopyWork>(&task.work)) return copy->must_agree;
    const auto* sub = std::get_if<SubWork>(&task.work);
    return sub && std::ranges::any_of(sub->plans, [](const auto& inner) { return may_throw(*inner); });
  });
}

std::vector<std::optional<std::size_t>> inputs_written_over(const SubWork& work, std::size_t plan) {
  std::vector<std::optional<std::size_t>> inputs(work.plans[plan]->graph().outputs.size());
  if (plan >= first_with_results(work))
    for (std::size_t r = 0; r < work.over.size(); ++r)
      if (work.over[r]) inputs[r] = slot_of(work, *work.over[r]);
  return inputs;
}

std::optional<std::size_t> Plan::first_equation(const WorkerStep& step) const {
  return graph_.tasks[steps_.list[step.of].tasks[0]].equation;
}

}  // namespace tutti
