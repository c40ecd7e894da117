// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/cli/words/options.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti::cli {

/// The request that the command line states. Throws as plan(arguments) does, each error with its option's
/// name.
PlanRequest request_of(const PlanArguments& arguments);

}  // namespace tutti::cli
