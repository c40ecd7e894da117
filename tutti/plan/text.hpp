// SPDX-License-Identifier: Apache-2.0
// A plan as text: to_string(plan) and its parts.
#pragma once

#include <string>

#include "tutti/plan/plan.hpp"

namespace tutti {

/// The one collective that is enough, if there is one, and the other plans with the reasons against them.
std::string why(const ReshardPlan& plan);
/// The one collective that is enough, or "none is enough": that of a plan of one step, else as classify()
/// says.
std::string one_collective(const ReshardPlan& plan);
/// "x: 0 -> 1, y: sum -> all": the axes that stand elsewhere after the step, by dim; "all" holds equal
/// values.
std::string moves_of(const PlanStep& step);
/// "4096x4096", "scalar".
std::string shape_text(const Shape& shape);
/// "x=4,y=2", "one device", "x=2 on devices 5,7"; of many devices the first ones.
std::string mesh_text(const Mesh& mesh);

}  // namespace tutti
