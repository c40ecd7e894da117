// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/run/watch/recording.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// An argument that a call copied, because it did not have the program's layout.
struct CopiedArgument {
  std::string name;  // "argument [2].0"
  std::int64_t bytes;
  Sharding as;
  bool is_from_devices = false;  // downloaded from the devices of another machine
};

/// What explain() reports of an executable in addition to its plan.
struct Circumstances {
  const Recording* recording = nullptr;                   // null: not measured
  bool is_always_crowded = false;                         // see Team
  int moved_inputs = 0;                                   // see LocalProgram
  std::int64_t copied_arguments = 0, result_buffers = 0;  // bytes held between calls
  std::int64_t calls = 0, copied_bytes = 0;               // since it was compiled
  std::vector<CopiedArgument> copied_by_last_call = {};
};

/// One line per step, sub-programs indented below it: bytes moved, arena in use, estimated time, measured
/// time if recorded. Totals last.
std::string explained(const Plan& plan, const Circumstances& circumstances);

}  // namespace tutti
