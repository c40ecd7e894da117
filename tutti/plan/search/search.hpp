// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tutti/plan/search/state_graph.hpp"

namespace tutti {

struct PlanCosts {
  double step = 1e-6;          // seconds a step that communicates takes, whatever it moves
  double peer = 0;             // and for each peer
  double byte = 1e-10;         // per byte received
  double copied_byte = 2e-11;  // per byte of a local step
  std::vector<double> axes;    // what a byte costs along each axis, times `byte`; empty: 1 along all
};

struct PlanSearch {
  int from = 0, to = 0;  // states
  std::int64_t element_bytes = 4;
  std::int64_t most_elements = 0;  // of a block
  PlanObjective objective = PlanObjective::time;
  PlanCosts costs = {};
  std::vector<std::pair<int, int>> forbidden = {};    // steps from the first state to the second
  std::vector<StepKind> kinds = {};                   // of steps; empty: all
  int most_states = std::numeric_limits<int>::max();  // whose steps are followed
  int most_known = std::numeric_limits<int>::max();   // states that are met
};
struct FoundPlan {
  struct Step {
    int before;
    PlanEdge edge;
  };
  std::vector<Step> steps;
  PlanTotals totals;
};

/// The cheapest steps from one state to the other. Ties go to fewer steps, then fewer bytes, then fewer local
/// steps, then smaller blocks in between, then the state that was met first, so that every run finds the
/// same. None if no steps keep within `most_elements`, or none were found within `most_states`.
std::optional<FoundPlan> search(StateGraph& graph, const PlanSearch& wanted);
/// All states that steps lead to, `from` among them, and the totals of the cheapest ways there; the nearest
/// ones, if there are more than `most_states`.
std::vector<std::pair<int, PlanTotals>> reachable(StateGraph& graph, const PlanSearch& wanted);
/// True if a plan with totals `a` is better than one with `b`.
bool is_better(const PlanTotals& a, const PlanTotals& b, PlanObjective objective);
PlanTotals totals_of(const PlanEdge& edge, const StateGraph& graph, const PlanSearch& wanted);

/// The cost of a byte in a group of devices along axes of these sizes and costs. A pair of devices pays for
/// the dearest axis along which they differ; the result is the average over all pairs.
double cost_of_a_byte(std::vector<std::pair<std::int64_t, double>> sizes_and_costs);

}  // namespace tutti
