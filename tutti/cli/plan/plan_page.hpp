// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/plan/plan.hpp"
#include "tutti/run/watch/report.hpp"

namespace tutti::cli {

/// A row for each step of a plan, and the plan as its one exchange.
Report report_of(const ReshardPlan& plan);

}  // namespace tutti::cli
