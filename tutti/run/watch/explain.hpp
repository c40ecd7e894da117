// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/run/watch/report.hpp"

namespace tutti {

/// The plan and the remarks of a report as text. Of virtual devices: one line per step, sub-programs indented
/// below it, with bytes moved, arena in use, estimated time, and measured time if recorded; totals last. Of
/// XLA: times of the compilation, memory and costs.
std::string explained(const Report& report);

}  // namespace tutti
