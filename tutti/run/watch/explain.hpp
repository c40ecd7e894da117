// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tutti/run/watch/copies.hpp"
#include "tutti/run/watch/recording.hpp"

namespace tutti {

/// The facts about an executable that explain() reports in addition to its plan.
struct Circumstances {
  const Recording* recording = nullptr;                   // null: not measured
  bool is_always_crowded = false;                         // see Team
  std::int64_t crowded_calls = 0;                         // that one worker did alone
  std::string shortage = {};                              // of workers, see Team
  bool has_carrier = true;                                // see Transport
  int moved_inputs = 0;                                   // see LocalProgram
  std::int64_t copied_arguments = 0, result_buffers = 0;  // bytes held between calls
  Copies copies = {};
};

/// One line per step, sub-programs indented below it: bytes moved, arena in use, estimated time, measured
/// time if recorded. Totals last.
std::string explained(const Plan& plan, const Circumstances& circumstances);

}  // namespace tutti
