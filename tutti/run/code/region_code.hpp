// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/code/region.hpp"
#include "tutti/run/fuse/steps.hpp"

namespace tutti {

/// What is known of a region's memory. Over operands: a result takes the place of one, whose lines are in the caches when
/// it is written.
struct RegionMemory {
  bool is_large = false;  // see StepCost
  bool is_over_operands = false;
};

/// The code of a region: its tasks as instructions over tiles, chains of them as one (region_uses).
/// `unit_axes`: the outer axes that are units, slowest first; the others become part of the space.
/// Bases are left empty; the caller fills them in.
RegionCode make_region_code(const Graph& graph, const Steps& steps, StepId step,
                            const std::vector<std::size_t>& unit_axes, const RegionMemory& memory = {});

}  // namespace tutti
