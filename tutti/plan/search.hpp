// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/plan/layout_state.hpp"

namespace tutti {

enum class PlanObjective { time, bytes, steps };

struct PlanCosts {
  double step = 1e-6;          // seconds a step that communicates takes, whatever it moves
  double peer = 0;             // and for each peer
  double byte = 1e-10;         // per byte received
  double copied_byte = 2e-11;  // per byte of a local step
};
struct PlanTotals {
  double seconds = 0;
  std::int64_t bytes = 0;
  int steps = 0;  // that communicate
  int local = 0;  // that do not
};

struct PlanSearch {
  PlanSpace space;
  PlanState from, to;
  std::int64_t element_bytes = 4;
  double cap = 1;  // of the larger of the blocks before and after
  PlanObjective objective = PlanObjective::time;
  PlanCosts costs = {};
};
struct FoundPlan {
  std::vector<PlanEdge> steps;
  PlanTotals totals;
  std::int64_t peak_elements = 0;  // of a block, at most
};

/// The cheapest steps from one state to the other. Ties go to fewer steps, then fewer bytes, then fewer local steps, then
/// the smaller states, so that every run finds the same. None if no steps keep the cap.
std::optional<FoundPlan> search(const PlanSearch& wanted);

}  // namespace tutti
