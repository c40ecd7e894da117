// SPDX-License-Identifier: Apache-2.0
// What things cost, in nanoseconds, as measured on a machine with two cores.
#pragma once

#include "tutti/run/fuse/steps.hpp"

namespace tutti {

inline constexpr double barrier_nanoseconds = 130;   // of a new phase
inline constexpr double hand_off_nanoseconds = 300;  // of a run with helpers: post and last barrier
inline constexpr double split_nanoseconds = 20;      // of a step more in a phase
inline constexpr double nanoseconds_per_travelling_byte = 0.05;  // last written by another worker
inline constexpr double short_run_nanoseconds = 20000;           // below this a sleeping helper is not woken

enum class Stores {
  by_size,   // of steps that are too large for the caches go past them
  streamed,  // of all regions and copies do: for tests
};

struct StepCost {
  double nanoseconds = 0;        // of all units on one worker
  double split_nanoseconds = 0;  // the same with the units apart; of sub-programs, when all workers run them
  /// What it writes will have left the caches before anybody reads it: it is better written past them.
  bool is_large = false;
};
using StepCosts = Indexed<StepId, StepCost>;
StepCosts costs_of(const Graph& graph, const Steps& steps, Stores stores);

/// What a step reads and writes, each value once, without the gaps between shards.
double moved_bytes(const Graph& graph, const Step& step);
/// The caches that each worker has to itself hold so much, together.
bool fits_own_caches(double bytes);
/// The bytes of one device's value, times its distinct shards.
double bytes_read(const Graph& graph, const Step& step, const Address& address);

}  // namespace tutti
