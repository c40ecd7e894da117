// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/watch/recording.hpp"
#include "tutti/run/watch/report.hpp"

namespace tutti {

/// The facts about an executable that a report adds to its plan.
struct Circumstances {
  const Recording* recording = nullptr;                   // null: not measured
  bool is_always_crowded = false;                         // see Team
  std::int64_t crowded_calls = 0;                         // that one worker did alone
  std::string shortage = {};                              // of workers, see Team
  bool has_carrier = true;                                // see Transport
  int moved_inputs = 0;                                   // see LocalProgram
  std::int64_t copied_arguments = 0, result_buffers = 0;  // bytes held between calls
  Report::Copies copies = {};
};

/// The steps of a plan with their times, its buffers and its memory.
Report::StepPlan step_plan(const Plan& plan, const Circumstances& circumstances);

}  // namespace tutti
