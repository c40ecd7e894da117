// SPDX-License-Identifier: Apache-2.0
// The cost model. Times in nanoseconds, as measured on a machine with two cores.
#pragma once

#include "tutti/run/fuse/steps.hpp"

namespace tutti {

inline constexpr double barrier_nanoseconds = 130;   // per phase
inline constexpr double hand_off_nanoseconds = 300;  // per run with helpers: start, last barrier
inline constexpr double split_nanoseconds = 20;  // per split step, if a worker of the phase has no load yet
inline constexpr double nanoseconds_per_travelling_byte = 0.05;  // that another worker wrote last
inline constexpr double short_run_nanoseconds = 20000;  // a shorter run does not wake a sleeping helper

enum class Stores {
  by_size,   // non-temporal in steps larger than the caches
  streamed,  // non-temporal in all regions and copies; for tests
};

struct StepCost {
  double nanoseconds = 0;        // of all units on one worker
  double split_nanoseconds = 0;  // without merged axes; of sub-programs: if all workers run them together
  /// True if the result is evicted before its first reader runs; non-temporal stores are faster then.
  bool is_large = false;
};
using StepCosts = Indexed<StepId, StepCost>;
StepCosts costs_of(const Graph& graph, const Steps& steps, Stores stores);

/// Bytes that a step reads and writes: each value once, without the gaps between shards.
double moved_bytes(const Graph& graph, const Step& step);
/// True if `bytes` fit into the private caches of all workers together.
bool fits_own_caches(double bytes);
/// Bytes that a step moves at `address`: those of one device's value, times the distinct shards.
double bytes_read(const Graph& graph, const Step& step, const Address& address);

}  // namespace tutti
