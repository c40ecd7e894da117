// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/run/buffers.hpp"

namespace tutti {

/// "region add, mul, all_reduce (train.cpp:12)".
std::string describe(const Graph& graph, const Node& node);
std::string explained(const Graph& graph, const Nodes& nodes, const Placement& placement,
                      const BufferPlan& buffers, std::size_t scratch_bytes, int moved_inputs);

}  // namespace tutti
