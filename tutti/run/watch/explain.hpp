// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/run/watch/recording.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// An argument that a call copied, because it lay otherwise than the program takes it.
struct CopiedArgument {
  std::string name;  // "argument [2].0"
  std::int64_t bytes;
  Sharding as;
};

/// What is told of an executable beside its plan.
struct Circumstances {
  const Recording* recording = nullptr;                   // null: nobody measures
  bool is_always_crowded = false;                         // see Team
  int moved_inputs = 0;                                   // see LocalProgram
  std::int64_t copied_arguments = 0, result_buffers = 0;  // bytes that it has now, until it needs them again
  std::int64_t calls = 0, copied_bytes = 0;               // since it was compiled
  std::vector<CopiedArgument> copied_by_last_call = {};
};

/// A line per step, those of sub-programs below it: bytes, the arena in use meanwhile, time by estimate and, once it
/// has run under a recording, as measured; then time and memory of the whole.
std::string explained(const Plan& plan, const Circumstances& circumstances);

}  // namespace tutti
