// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tutti/run/recording.hpp"

namespace tutti {

/// What is told of an executable beside its plan.
struct Circumstances {
  const Recording* recording = nullptr;                   // null: nobody measures
  bool is_always_crowded = false;                         // see Team
  int moved_inputs = 0;                                   // see LocalProgram
  std::int64_t copied_arguments = 0, result_buffers = 0;  // bytes that it has now, until it needs them again
};

/// A line per step, those of sub-programs below it: bytes, the arena in use meanwhile, time by estimate and, once it
/// has run under a recording, as measured; then time and memory of the whole.
std::string explained(const Plan& plan, const Circumstances& circumstances);

}  // namespace tutti
