// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/devices/kernel.hpp"
#include "tutti/run/graph/graph.hpp"

namespace tutti {

/// Makes one transfer of those that nothing separates: a transfer waits until an equation needs its result.
/// Only the program decides which ones are merged, so all processes merge the same. `kernels`: of the
/// equations.
void merge_transfers(Graph& graph, const std::vector<Kernel>& kernels);

}  // namespace tutti
