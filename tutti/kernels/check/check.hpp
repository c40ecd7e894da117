// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tutti/kernels/check/report.hpp"
#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// A manifest and its kernels, one per entry.
struct EmittedKernels {
  Manifest manifest;
  std::vector<Function> kernels;
};

/// The order in which a rank's blocks become resident.
enum class BlockOrder : std::uint8_t { ascending, shuffled };
/// Inputs of float reductions. Sums of `whole` numbers are exact in any order; sums of `any` numbers depend
/// on the order.
enum class Numbers : std::uint8_t { whole, any };

/// A rank that launches nothing from `call` on.
struct Absence {
  int rank = 0, call = 0;
};

/// Options of a check: which schedules run, and on which machine.
struct CheckOptions {
  int calls = 3;  // one after the other; call i runs the emitted kernels i modulo their number
  std::int64_t schedules = 100;
  std::vector<ScheduleKind> kinds = {ScheduleKind::random, ScheduleKind::pct, ScheduleKind::random,
                                     ScheduleKind::round_robin};  // in turn; exhaustive excludes the others
  std::uint64_t seed = 1;                                         // schedule i has seed + i
  int residency = 0;  // resident blocks per rank; the next block begins when one ends. 0: all
  BlockOrder block_order = BlockOrder::ascending;
  int most_delay = 0;                // turns by which a rank delays each launch, drawn from 0 to this
  std::uint32_t first_sequence = 1;  // wraps
  std::int64_t wait_limit = 0;       // the wait_limit argument of the kernels; 0: they wait for ever
  std::optional<Absence> absent = {};
  Numbers numbers = Numbers::whole;
  /// The iterations that a longer loop runs if it carries no values: the first, the last, and others drawn by
  /// index, about this number in all. Bytes that only skipped iterations write have no value: they are
  /// neither stored further nor compared. 0: all iterations.
  std::int64_t most_trips = 0;
  std::int64_t most_ops = 0;                // no schedule begins after this number of ops; 0: no limit
  std::int64_t most_turns = 2'000'000'000;  // a schedule with more is a livelock
  std::int64_t most_ops_of_turn = std::int64_t{1} << 32;  // a turn with more is a livelock
  /// The length that pct assumes for the first schedule; later schedules assume the length of the one before.
  std::int64_t pct_turns = 200;
  std::vector<int> choices = {};  // actors, turn by turn; if not empty, runs only this schedule
};

/// The options that repeat the schedule of a fault, and only that one.
CheckOptions replay_of(CheckOptions options, const Fault& fault);

/// Runs kernels on a model of `world` ranks in many schedules, and stops at the first fault.
/// - Each rank runs its calls in stream order. All calls share the group's pads and stagings. Halves
///   alternate, and the sequence advances by manifest.sequence.signals.
/// - The rank's stream clears the output before a call and compares it with the spec's definition after the
///   call.
/// - Inputs differ by rank, call and element.
/// - Memory follows PTX without speculation: happens-before must order plain accesses that conflict. An
///   atomic read may return an older value unless a newer one happens before the read.
/// Throws T015 if the manifests differ in world, or for options out of range; R001 for an invalid manifest;
/// I001 for kernels that do not fit it.
CheckReport check(std::span<const EmittedKernels> emitted, const CheckOptions& options = {});
CheckReport check(const EmittedKernels& emitted, const CheckOptions& options = {});

}  // namespace tutti::kernels
