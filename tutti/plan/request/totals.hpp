// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace tutti {

/// The kinds of steps that plans are made of.
enum class StepKind { slice, gather, exchange, permute, all_reduce, reduce_scatter, mask, move };
/// The name of a step, as plans print it: "all_gather", "psum".
std::string_view name(StepKind kind);

/// The objective that the best plan minimises.
enum class PlanObjective { time, bytes, steps };
/// "time", "bytes" or "steps".
std::string_view name(PlanObjective objective);

/// The costs of all steps of a plan.
struct PlanTotals {
  double seconds = 0;           // by estimate
  double cost_of_bytes = 0;     // of bytes received, each times what the axes that it crosses cost
  std::int64_t bytes = 0;       // received by the device that receives the most in each step
  int steps = 0;                // that communicate
  int local = 0;                // that do not
  std::int64_t held_bytes = 0;  // of the blocks after all steps together
};
/// The costs of both.
inline PlanTotals operator+(const PlanTotals& a, const PlanTotals& b) {
  return {a.seconds + b.seconds, a.cost_of_bytes + b.cost_of_bytes, a.bytes + b.bytes, a.steps + b.steps,
          a.local + b.local,     a.held_bytes + b.held_bytes};
}

}  // namespace tutti
