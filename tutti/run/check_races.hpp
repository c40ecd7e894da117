// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tutti/run/schedule.hpp"

namespace tutti {

/// Looks for bytes that one worker writes and another reads or writes in the same phase, scratch included. Works on the
/// addresses of the finished steps alone: it knows nothing of how they were planned. Returns what it found first.
/// `names`: of the nodes, for the message.
std::optional<std::string> find_race(Schedule& schedule, const std::vector<std::string>& names);

}  // namespace tutti
