// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/watch/report.hpp"
#include "tutti/xla/compile.hpp"

namespace tutti::xla {

/// The facts that XLA tells about a compiled program: its times, memory and costs.
Report::XlaPlan plan_of(const Compiled& compiled);

}  // namespace tutti::xla
