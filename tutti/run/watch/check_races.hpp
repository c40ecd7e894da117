// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/run/plan/schedule.hpp"

namespace tutti {

/// Looks for bytes that one worker writes and another reads or writes in the same phase, scratch included. Works on the
/// addresses of the finished steps alone: it knows nothing of how they were planned. Returns what it found first.
/// `names`: of the steps, for the message. `overwritten`: per output the input whose buffer it is written to, if any;
/// empty: every output has a buffer of its own.
std::optional<std::string> find_race(Schedule& schedule, const Indexed<StepId, std::string>& names,
                                     const std::vector<std::optional<std::size_t>>& overwritten = {});

}  // namespace tutti
