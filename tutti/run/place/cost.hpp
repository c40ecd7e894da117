// SPDX-License-Identifier: Apache-2.0
// What things cost, in nanoseconds, as measured on a machine with two cores.
#pragma once

#include "tutti/run/fuse/nodes.hpp"

namespace tutti {

inline constexpr double barrier_nanoseconds = 130;   // of a new phase
inline constexpr double hand_off_nanoseconds = 300;  // of a run with helpers: post and last barrier
inline constexpr double split_nanoseconds = 20;      // of a step more in a phase
inline constexpr double nanoseconds_per_travelling_byte = 0.05;  // last written by another worker
inline constexpr double short_run_nanoseconds = 20000;           // below this a sleeping helper is not woken

/// All units of a node on one worker; of a region, with the outer axes `merged` in its space.
double estimate(const Graph& graph, const Node& node, AxisSet merged);
/// Of sub-programs: some of their plans have work for several workers; what they take when all run them.
bool may_be_shared(const Graph& graph, const Node& node);
double estimate_together(const Graph& graph, const Node& node);
/// What a node reads and writes, each value once, without the gaps between shards.
double moved_bytes(const Graph& graph, const Node& node);
/// The caches that each worker has to itself hold so much, together.
bool fits_own_caches(double bytes);
/// What a node writes will have left the caches before anybody reads it: it is better written past them.
bool is_too_large_to_cache(const Graph& graph, const Node& node);
/// The bytes of one device's value, times its distinct shards.
double bytes_read(const Graph& graph, const Node& node, const Address& address);

}  // namespace tutti
