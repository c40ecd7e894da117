// SPDX-License-Identifier: Apache-2.0
// Names of a plan's steps for explain(), timelines and reports of races.
#pragma once

#include <string>
#include <vector>

#include "tutti/run/fuse/steps.hpp"
#include "tutti/run/place/placement.hpp"

namespace tutti {

std::string kind_name(Step::Kind kind);
/// "add, mul, all_reduce and 2 more"; empty for a copy that the planner added.
std::string ops_of(const Graph& graph, const Step& step, std::size_t most_named = 12);
/// The source line of the step's first op that has one.
Where place_of(const Graph& graph, const Step& step);
/// "region add, mul, all_reduce (train.cpp:12)".
std::string describe(const Graph& graph, const Step& step);

/// For each exchange of the program what a plan sends where every device has memory of its own: "exchange
/// (train.cpp:12) as messages: permute, all_gather; 48 B received by a device". In one process it is a copy,
/// or only a way to read its operand.
std::vector<std::string> messages_of(const Program& program);

/// "worker 0", "by 'data'", "by tiles", "together".
std::string split_name(const Graph& graph, const Split& split);
/// The role of a sub-program in its step: "branch 0", "each of 64 iterations".
std::string part_name(const SubPrograms& sub, std::size_t program);

}  // namespace tutti
