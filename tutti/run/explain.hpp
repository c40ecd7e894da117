// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/run/recording.hpp"

namespace tutti {

/// A line per step, those of sub-programs below it: bytes, the arena in use meanwhile, time by estimate and, once it
/// has run under `recording` (null: nobody measures), as measured; then time and memory of the whole.
std::string explained(const Plan& plan, int moved_inputs, const Recording* recording);

}  // namespace tutti
