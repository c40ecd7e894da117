// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/devices/kernel.hpp"
#include "tutti/run/graph/graph.hpp"

namespace tutti {

/// Joins transfers between which no equation needs a result: a transfer waits until then. The transfers of a
/// Start become a future, which the carrier makes until an equation needs the result of the Done. The program
/// alone decides this, so all processes do the same. `kernels`: those of the equations.
void merge_transfers(Graph& graph, const std::vector<Kernel>& kernels);

}  // namespace tutti
