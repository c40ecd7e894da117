// SPDX-License-Identifier: Apache-2.0
// Names of a plan's steps for explain(), timelines and reports of races.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/plan/plan.hpp"
#include "tutti/run/fuse/steps.hpp"
#include "tutti/run/place/placement.hpp"
#include "tutti/run/watch/report.hpp"

namespace tutti {

std::string kind_name(Step::Kind kind);
/// The op of each equation of a program.
std::vector<Report::StepOp> equation_ops(const Program& program);
/// Those of a step, in order; none for a copy that the planner added. `ops`: of the graph's program.
std::vector<Report::StepOp> ops_of(const Graph& graph, const Step& step,
                                   const std::vector<Report::StepOp>& ops);
/// "add, mul, all_reduce and 2 more".
std::string named(const std::vector<Report::StepOp>& ops, std::size_t most_named);
/// The ops of a step, up to 12 by name.
std::string op_names(const Graph& graph, const Step& step);
/// The source line of the step's first op that has one.
Where place_of(const Graph& graph, const Step& step);
/// "region add, mul, all_reduce (train.cpp:12)".
std::string describe(const Graph& graph, const Step& step);

/// The bytes that a task, or all tasks of a step, exchange with other processes. None: they send nothing.
Report::Transfers transfers_of(const TransferWork& work);
std::optional<Report::Transfers> transfers_of(const Graph& graph, const Step& step);

/// The steps of a plan, as reports have them. The place is left out.
Report::Exchange exchange_of(const ReshardPlan& plan);
/// For each exchange of the program the plan of the messages, as if every device had memory of its own. In
/// one process an exchange is a copy, or only a way to read its operand.
std::vector<Report::Exchange> exchanges_of(const Program& program);

/// "worker 0", "by 'data'", "by tiles", "together".
std::string split_name(const Graph& graph, const Split& split);
/// The role of a sub-program in its step: "branch 0", "each of 64 iterations".
std::string part_name(SubPrograms::Control how, std::int64_t length, std::size_t program);

}  // namespace tutti
