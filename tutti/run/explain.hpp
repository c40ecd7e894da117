// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/run/plan.hpp"

namespace tutti {

/// "region add, mul, all_reduce (train.cpp:12)".
std::string describe(const Graph& graph, const Node& node);
/// The phases with each worker's work, those of sub-programs below it; then time and memory.
std::string explained(const Plan& plan, int moved_inputs);

}  // namespace tutti
