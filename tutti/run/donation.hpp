// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tutti/control/boundary.hpp"
#include "tutti/run/plan/plan.hpp"

namespace tutti {

/// Per output: the donated input whose buffer it reuses. Type and layout are equal; an input is used at most
/// once. The steps and the bits do not change, only the slot of the output does.
std::vector<std::optional<std::size_t>> inputs_to_overwrite(const LocalProgram& local, const Plan& plan);

}  // namespace tutti
