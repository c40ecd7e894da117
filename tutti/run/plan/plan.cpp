// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/plan/plan.hpp"

#include <bit>

#include "tutti/base/error.hpp"
#include "tutti/run/graph/at_position.hpp"
#include "tutti/run/plan/control_steps.hpp"

namespace tutti {
namespace {

using Strides = std::vector<std::int64_t>;

/// Makes the plans of one task's sub-programs.
class SubPlanner {
 public:
  SubPlanner(const Graph& graph, const Task& task, const PlanOptions& options)
      : graph_(graph), task_(task), work_(std::get<SubWork>(task.work)), options_(options) {
    for (std::size_t i = 0; i < graph.mesh.axes().size(); ++i)
      if (has(work_.decided, i)) decided_.push_back(graph.mesh.axes()[i]);
    mesh_ = graph.mesh.without(decided_);
  }

  std::vector<std::shared_ptr<Plan>> plans() const {
    std::vector<std::shared_ptr<Plan>> made;
    bool never_runs = work_.sub.how == SubPrograms::How::repeat && work_.sub.length == 0;
    if (never_runs) return made;  // stacked values have no slice to plan for
    for (std::size_t i = 0; i < work_.sub.programs.size(); ++i) {
      const Program& program = *work_.sub.programs[i];
      bool is_test = work_.sub.how == SubPrograms::How::loop && i == 0;
      Ports ports;
      ports.inputs.assign(decided_.size(), Strides(mesh_.axes().size(), 0));
      std::size_t skipped = work_.sub.how == SubPrograms::How::choose ? 1 : 0;  // the index
      for (std::size_t k = skipped; k < task_.operands.size(); ++k)
        ports.inputs.push_back(left_over(task_.operands[k].axes));
      if (is_test) ports.outputs.push_back(test_result_strides(mesh_));
      else
        for (std::size_t k = 0; k < program.outputs.size(); ++k)
          ports.outputs.push_back(left_over(graph_.buffers[task_.results[k]].axes));
      made.push_back(std::make_shared<Plan>(at_position(program, decided_), mesh_, options_, ports));
    }
    return made;
  }

 private:
  /// The strides along the axes of the sub-program's mesh.
  Strides left_over(const Strides& axes) const {
    Strides left;
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (!has(work_.decided, i)) left.push_back(axes[i]);
    return left;
  }

  const Graph& graph_;
  const Task& task_;
  const SubWork& work_;
  PlanOptions options_;
  Axes decided_;
  Mesh mesh_;
};

/// The buffer of each input.
std::vector<BufferId> input_buffers(const Graph& graph) {
  std::vector<BufferId> found(graph.program.inputs.size());
  for (BufferId b : graph.buffers.ids())
    if (const Buffer& buffer = graph.buffers[b]; buffer.kind == Buffer::Kind::input) found[buffer.number] = b;
  return found;
}

/// The input of a plan that receives operand k. Coordinates come first; the index of a switch is no input.
std::size_t slot_of(const SubWork& work, std::size_t k) {
  return static_cast<std::size_t>(std::popcount(work.decided)) + k -
         (work.sub.how == SubPrograms::How::choose ? 1 : 0);
}
/// The first plan that computes results. The test of a while loop comes first and computes none.
std::size_t first_with_results(const SubWork& work) { return work.sub.how == SubPrograms::How::loop ? 1 : 0; }

/// Fills in work.over. The second buffer of a carry that is updated in place gets 0 bytes.
void find_results_over_operands(Graph& graph, Task& task) {
  auto& work = std::get<SubWork>(task.work);
  std::size_t results = graph.program.equations[*task.equation].results.size();
  work.over.assign(results, std::nullopt);
  if (work.plans.empty()) return;
  std::vector<std::vector<BufferId>> inputs;
  std::vector<MayOverwrite> may;
  for (const std::shared_ptr<Plan>& plan : work.plans) {
    inputs.push_back(input_buffers(plan->graph()));
    may.push_back(may_overwrite(plan->graph(), plan->steps(), plan->placement()));
  }
  /// True if every plan that computes results may write result r over operand k.
  auto fits = [&](std::size_t k, std::size_t r) {
    for (std::size_t p = first_with_results(work); p < work.plans.size(); ++p) {
      if (!may[p](inputs[p][slot_of(work, k)], work.plans[p]->graph().outputs[r])) return false;
    }
    return true;
  };
  if (work.sub.how == SubPrograms::How::choose) {
    std::vector<bool> taken(task.operands.size());
    for (std::size_t r = 0; r < results; ++r)
      for (std::size_t k = 1; k < task.operands.size() && !work.over[r]; ++k)
        if (!taken[k] && fits(k, r)) {
          work.over[r] = k;
          taken[k] = true;
        }
    return;
  }
  for (std::size_t c = 0; c < work.sub.carries; ++c)
    if (fits(work.sub.consts + c, c)) {
      work.over[c] = work.sub.consts + c;
      graph.buffers[task.results[results + c]].bytes = 0;  // the second buffer
    }
}

Graph with_sub_plans(Graph graph, const PlanOptions& options) {
  for (Task& task : graph.tasks)
    if (SubWork* work = std::get_if<SubWork>(&task.work)) try {
        work->plans = SubPlanner(graph, task, options).plans();
        for (const std::shared_ptr<Plan>& plan : work->plans) work->times.push_back(plan->placement().times);
        find_results_over_operands(graph, task);
      } catch (const Error& error) {
        rethrow_at(graph, task.equation, error);
      }
  return graph;
}

}  // namespace

Plan::Plan(const Program& local, const Mesh& mesh, const PlanOptions& options,
           const std::optional<Ports>& ports)
    : graph_(with_sub_plans(make_graph(local, mesh, options.storage, options.check_assumptions, ports),
                            options)),
      steps_(make_steps(graph_, options.fusion)),
      costs_(costs_of(graph_, steps_, options.stores,
                      options.caches.value_or(caches_of_machine(options.workers)))),
      placement_(place(graph_, steps_, costs_, options.workers, options.choice)),
      arena_(plan_arena(graph_, steps_, placement_)),
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
    if (crew.track) {
      for (const WorkerStep& next : list) {
        step = &next;
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
