// SPDX-License-Identifier: Apache-2.0
// Which buffers may use the memory of others; for plan_arena and pairing.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tutti/run/place/placement.hpp"

namespace tutti {

/// When and by whom each buffer is accessed, and which buffers may therefore lie at the same bytes.
class Reuse {
 public:
  /// The arguments must outlive the object.
  Reuse(const Graph& graph, const Steps& steps, const Placement& placement);

  /// The last accesses to a buffer.
  struct Last {
    std::size_t phase;
    StepId step;                        // the last one in that phase
    std::optional<std::size_t> worker;  // the one that does them; none: several do
  };
  /// None if no step accesses the buffer.
  const std::optional<Last>& last(BufferId b) const { return last_[b]; }
  /// The worker that runs the whole step; none if several do.
  std::optional<std::size_t> worker_of(StepId n) const;
  /// True if a worker reads what another worker wrote.
  bool travels(BufferId b) const { return travels_[b]; }
  /// True if the buffer is read after the last step.
  bool is_kept(BufferId b) const { return kept_[b]; }
  /// True if the arena has to find bytes for the buffer: it is no caller's, and is not in an output's memory.
  bool is_planned(BufferId b) const;
  /// The output whose memory the buffer uses, because a chain of updates leads from the buffer to the output.
  const Indexed<BufferId, std::optional<BufferId>>& in_output() const { return in_output_; }

  bool have_one_layout(BufferId a, BufferId b) const;
  /// True if, at every byte, all accesses to `earlier` come before `later` is written. Requires one layout.
  bool may_lie_over(BufferId later, BufferId earlier) const {
    return is_dead_before(earlier, later) || is_dead_part_by_part(earlier, later);
  }
  /// True if an output may be written over an input: both have the same layout, and by the rule of plan_arena
  /// no element of the input is read after the output's element is written.
  bool may_overwrite(BufferId input, BufferId output) const;

  using Moment = std::pair<std::size_t, StepId>;  // phase and step
  std::optional<Moment> last_access(BufferId b) const;
  /// When the value that uses an output's memory first is made.
  Moment making(BufferId output) const;
  /// The operands that the maker of a buffer may write it over element by element: of a region all that it
  /// reads, of other steps one at most. may_lie_over() decides.
  std::vector<BufferId> operands_in_place(BufferId b) const;
  /// The inputs, by number, among the operands of the value that uses an output's memory first.
  std::vector<std::size_t> inputs_near(BufferId output) const;

 private:
  const Buffer& buffer(BufferId b) const { return graph_.buffers[b]; }
  const Step& step(StepId n) const { return steps_.list[n]; }
  std::size_t phase(StepId n) const { return placement_.of[n].phase; }
  const Split& split(StepId n) const { return placement_.of[n].split; }
  SplitStep placed(StepId n) const { return {step(n), split(n)}; }
  StepId maker(BufferId b) const { return *steps_.maker[b]; }
  StepId begun(BufferId b) const { return *steps_.begun[b]; }

  void find_accesses();
  std::optional<Last> last_of(const std::vector<StepId>& steps) const;
  void find_updates_of_outputs();
  /// The value that an update changes to `later`, if `later` may lie where it does.
  std::optional<BufferId> updated_value(BufferId later) const;
  bool may_replace(BufferId earlier, BufferId later) const;
  BufferId first_in_memory_of(BufferId output) const;

  bool is_dead_before(BufferId earlier, BufferId later) const;
  bool happens_before(StepId n, StepId m) const;
  bool is_dead_part_by_part(BufferId earlier, BufferId later) const;
  bool keeps_to_own_part(StepId n, BufferId earlier, StepId writer, BufferId later) const;
  bool is_read_in_place(StepId n, BufferId earlier, BufferId later) const;
  bool is_read_in_place_by_region(const Step& region, BufferId earlier, BufferId later) const;
  std::size_t position_of_maker(const Step& region, BufferId b) const;

  const Graph& graph_;
  const Steps& steps_;
  const Placement& placement_;
  Indexed<BufferId, std::vector<StepId>> accesses_;
  Indexed<BufferId, std::optional<Last>> last_;
  Indexed<BufferId, bool> kept_, travels_;
  Indexed<BufferId, std::optional<BufferId>> in_output_;
  Indexed<BufferId, std::optional<BufferId>> below_;  // the value that an update changes to this one
};

}  // namespace tutti
