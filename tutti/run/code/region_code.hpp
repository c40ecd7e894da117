// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/code/region.hpp"
#include "tutti/run/fuse/steps.hpp"

namespace tutti {

/// Facts about a region's memory. is_over_operands: a result reuses the memory of an operand, so its lines
/// are cached when they are written.
struct RegionMemory {
  bool is_large = false;  // see StepCost
  bool is_over_operands = false;
};

/// Generates the code of a region: one instruction over tiles per task or chain of tasks (region_uses).
/// `unit_axes`: the outer axes that are units, slowest first; the other outer axes become part of the space.
/// The caller fills in the bases.
RegionCode make_region_code(const Graph& graph, const Steps& steps, StepId step,
                            const std::vector<std::size_t>& unit_axes, const RegionMemory& memory = {});

}  // namespace tutti
