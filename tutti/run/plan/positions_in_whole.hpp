// SPDX-License-Identifier: Apache-2.0
// Positions of a process's box among those of all processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/run/graph/graph.hpp"

namespace tutti {

/// Returns the number of a position along `axes` of the box among those of the whole mesh.
std::int64_t number_in_whole(const Graph& graph, AxisSet axes, std::int64_t position);
/// Returns "i=1, j=0" for each position along `axes` of the box, by its coordinates in the whole mesh.
std::vector<std::string> names_in_whole(const Graph& graph, AxisSet axes);

}  // namespace tutti
