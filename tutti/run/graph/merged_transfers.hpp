// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/devices/kernel.hpp"
#include "tutti/run/graph/graph.hpp"

namespace tutti {

/// Makes one transfer of those that nothing separates: a transfer waits until an equation needs its result.
/// Those of a Start become a future: the carrier makes them, from there until an equation needs the result of
/// the Done. Only the program decides this, so it is the same on all processes. `kernels`: of the equations.
void merge_transfers(Graph& graph, const std::vector<Kernel>& kernels);

}  // namespace tutti
