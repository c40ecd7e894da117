// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tutti/plan/plan.hpp"

namespace tutti::cli {

/// All that the text of a plan says, and why the others lost.
nlohmann::ordered_json plan_json(const ReshardPlan& plan);

}  // namespace tutti::cli
