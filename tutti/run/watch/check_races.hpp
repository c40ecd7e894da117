// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/run/plan/schedule.hpp"

namespace tutti {

/// Finds bytes, in scratch too, that one worker writes and another reads or writes in the same phase. Uses
/// only the addresses of the finished steps, not how they were planned. Returns a description of the first
/// race, or none.
/// `names`: of the steps, for the description. `overwritten`: per output, the input whose memory it reuses,
/// or none; empty: every output has a buffer of its own.
std::optional<std::string> find_race(Schedule& schedule, const Indexed<StepId, std::string>& names,
                                     const std::vector<std::optional<std::size_t>>& overwritten = {});

}  // namespace tutti
