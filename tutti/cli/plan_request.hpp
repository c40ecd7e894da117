// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/cli/options.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti::cli {

/// What the words of the command line ask for. Throws as plan(arguments) does, each error with its option's name.
PlanRequest request_of(const PlanArguments& arguments);

/// "4096x4096", "scalar".
std::string shape_text(const Shape& shape);
/// "x=4,y=2", "one device".
std::string mesh_text(const Mesh& mesh);
/// The word of --objective.
std::string_view name(PlanObjective objective);

}  // namespace tutti::cli
