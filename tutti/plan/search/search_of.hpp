// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/plan/request/step.hpp"
#include "tutti/plan/search/search.hpp"
#include "tutti/plan/search/states_of.hpp"

namespace tutti {

inline constexpr double cap_rounding = 1 + 1e-12;  // the least cap that a refusal names is one that will do

/// Steps in a row, and what they take together.
struct KnownSteps {
  std::vector<PlanStep> steps;
  PlanTotals totals;
};

/// The search for a request's plan in the graph of its states. It has no bound of states.
PlanSearch search_of(const PlanRequest& request, const StatesOf& states, StateGraph& graph);

/// The bytes that a device needs for its block, padding included.
std::int64_t block_bytes(const PlanRequest& request, const Sharding& sharding);
/// True if all dims divide, before and after.
bool is_even(const PlanRequest& request);
bool is_even(const Shape& shape, const Sharding& sharding);

}  // namespace tutti
