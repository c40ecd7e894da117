// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/plan/request/step.hpp"

namespace tutti {

/// A step of a plan for the array `whole`: who takes part, and the memory that packing takes. Its costs are
/// left out.
PlanStep step_of(StepKind kind, const Sharding& before, const Sharding& after, const Type& whole);

}  // namespace tutti
