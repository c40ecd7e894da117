// SPDX-License-Identifier: Apache-2.0
// The cost model. Times in nanoseconds. Comments name the programs of bench/ that print a time, and when they
// printed it, on a machine of two cores with AVX-512. Without a program: chosen.
#pragma once

#include "tutti/run/fuse/steps.hpp"

namespace tutti {

// Per phase. bench/team, thousand_barriers: 45 to 75 where the workers share a cache, else 200; 2026-11.
inline constexpr double barrier_nanoseconds = 130;
// Per run with helpers: start and last barrier. bench/team, hand_off, 2026-11.
inline constexpr double hand_off_nanoseconds = 300;
inline constexpr double split_nanoseconds = 20;  // per split step, if a worker of the phase has no load yet
// That another worker wrote last. bench/collectives, all_to_all of 64 KiB on 8 devices: 12 us by one worker,
// 24 by two, between whom 256 KiB travel; 2026-11-22.
inline constexpr double nanoseconds_per_travelling_byte = 0.05;
// A shorter run does not wake a sleeping helper, which takes 25 to 30 us (bench/team, hand_off_to_a_sleeper).
inline constexpr double short_run_nanoseconds = 20000;

struct StepCost {
  double nanoseconds = 0;        // of all units on one worker
  double split_nanoseconds = 0;  // without merged axes; of sub-programs: if all workers run them together
  /// True if the result is evicted before its first reader runs; non-temporal stores are faster then.
  bool is_large = false;
  bool fits_own_caches = false;  // what the step moves fits into Caches::own_bytes
};
using StepCosts = Indexed<StepId, StepCost>;
/// The caches of this machine, as hwloc knows them.
Caches caches_of_machine(int workers);
StepCosts costs_of(const Graph& graph, const Steps& steps, Stores stores, const Caches& caches);

/// Bytes that a step reads and writes: each value once, without the gaps between shards.
double moved_bytes(const Graph& graph, const Step& step);
/// Bytes that a step moves at `address`: those of one device's value, times the distinct shards.
double bytes_read(const Graph& graph, const Step& step, const Address& address);

}  // namespace tutti
