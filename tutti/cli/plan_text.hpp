// SPDX-License-Identifier: Apache-2.0
// A plan as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tutti/plan/plan.hpp"

namespace tutti::cli {

/// A line for the array, a table with a row for each step, totals and peak.
std::string plan_text(const ReshardPlan& plan);
/// Which one collective is enough, and the other plans with what speaks against them.
std::string why_text(const ReshardPlan& plan);
/// All of both.
nlohmann::ordered_json plan_json(const ReshardPlan& plan);

}  // namespace tutti::cli
