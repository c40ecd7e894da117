// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/fuse/nodes.hpp"

namespace tutti {

/// Which plan to make. Every plan gives the same bits.
enum class PlanChoice {
  cheapest,    // by the cost model
  one_worker,  // everything on worker 0
  by_axis,     // split whatever can be split, by axes first
  by_tiles,    // split whatever can be split, by tiles first
};

struct Placement {
  int workers = 1;
  int phases = 0;
  double nanoseconds = 0;  // of the slowest worker of each phase
  double alone_nanoseconds = 0;
  bool needs_helpers = false;
};

/// Gives every node a phase and a split. Between phases all workers meet; inside one, a worker does its nodes in order.
Placement place(const Graph& graph, Nodes& nodes, int workers, PlanChoice choice);

/// True if, whenever `reader` runs under its split, each worker reads of the value at `address` only what it wrote
/// itself as part of `writer`.
bool reads_own_part(const Graph& graph, const Node& writer, const Node& reader, const Address& address);
/// Regions whose tiles cover the same elements, of whatever devices.
bool tiles_alike(const Node& a, const Node& b);
/// The part of 0 .. size that `worker` does.
struct Range {
  std::int64_t begin, end;
};
Range part_of(std::int64_t size, int worker, int workers);
/// Of an `amount` of work what each worker does under the node's split.
std::vector<double> divided(const Graph& graph, const Node& node, int workers, double amount);
/// How long each worker takes for its part of a node, in nanoseconds, as estimated.
std::vector<double> loads_of(const Graph& graph, const Node& node, int workers);

}  // namespace tutti
