// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/place/arena.hpp"
#include "tutti/run/plan/schedule.hpp"

namespace tutti {

/// The plan of a program of local values, with an arena of its own. Slots: callers' buffers, inputs first.
class Plan {
 public:
  Plan(const Program& local, const Processes& processes, const PlanOptions& options,
       const std::optional<Ports>& ports = {});

  const Graph& graph() const { return graph_; }
  const Steps& steps() const { return steps_; }
  const StepCosts& costs() const { return costs_; }
  const Placement& placement() const { return placement_; }
  const ArenaPlan& arena() const { return arena_; }
  Schedule& schedule() { return schedule_; }
  const Schedule& schedule() const { return schedule_; }

  void bind(std::size_t slot, std::byte* base) {
    if (slots_[slot] == base) return;
    slots_[slot] = base;
    relocate(schedule_, slot, base);
  }
  /// Runs the lists of crew.worker; alone, the lists of all workers, one after the other. Errors name the
  /// line and op of their equation. Throws R008 at the equation of the next step once crew.stop is requested.
  void run(const Crew& crew);
  /// Throws R008, at the equation of the first step, if a stop is requested.
  void require_no_stop(const std::stop_token& stop) const;

 private:
  void run_list(std::size_t phase, std::size_t worker, const Crew& crew);
  std::optional<std::size_t> first_equation(const WorkerStep& step) const;

  Graph graph_;
  Steps steps_;
  StepCosts costs_;
  Placement placement_;
  ArenaPlan arena_;
  Schedule schedule_;
  std::vector<StepContext> contexts_;  // per worker
  std::vector<std::byte*> slots_;      // the addresses that the steps use now
};

/// True if a kernel of the plan, or of the plans in it, says that it may throw.
bool may_throw(const Plan& plan);

/// Per output of plan number `plan` of `work`: the input whose memory the output reuses, or none.
std::vector<std::optional<std::size_t>> inputs_written_over(const SubWork& work, std::size_t plan);

}  // namespace tutti
