// SPDX-License-Identifier: Apache-2.0
// Plans as programs of ops, run by the runtime.
#pragma once

#include <string>

#include "tests/support/shardings.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti {

enum class Taken { by_steps, at_once };

/// One device's part under request.from -> its part under request.to.
Program program_of(const ReshardPlan& plan, Taken taken);

/// The parts of the devices under `sharding`: numbers that tell elements and, along unreduced axes, terms
/// apart.
PerDevice parts_of(const Type& whole, const Sharding& sharding);

/// Runs the plan. Empty if each device then holds its block of the sum of all terms, in order; else what is
/// wrong.
std::string wrong_on_machine(const ReshardPlan& plan, Taken taken);
/// The same of both ways to take it.
std::string wrong_on_machine(const ReshardPlan& plan);

}  // namespace tutti
