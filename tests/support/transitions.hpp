// SPDX-License-Identifier: Apache-2.0
// Transitions written out: the fewest steps that communicate, what a device receives, and the least that it
// could.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/plan/plan.hpp"

namespace tutti {

/// A transition. Sharding texts are those of sharding_of.
struct Transition {
  int number;
  std::string_view mesh;
  Shape shape;
  std::string_view from, to;
  std::string_view steps;
  std::int64_t received;  // of 1152 parts of the whole
  std::int64_t direct;    // likewise, by one exchange of boxes; -1: there are sums
  int peers;              // of that
};

const std::vector<Transition>& transitions();
/// Those that name parts of axes, or gain by them.
const std::vector<Transition>& transitions_with_parts();

PlanRequest request_of(const Transition& row, const ReshardOptions& options);
/// "slice, all_gather".
std::string names_of(const std::vector<PlanStep>& steps);
/// "  3  x4  [x][] -> [][x]  exchange  192 bytes".
std::string row_text(const Transition& row, const ReshardPlan& plan);

}  // namespace tutti
