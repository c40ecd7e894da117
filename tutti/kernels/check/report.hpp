// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::kernels {

/// How a schedule chooses the next program. A turn has at most one access that peers may see: a peer load, a
/// peer store or an atomic.
enum class ScheduleKind : std::uint8_t {
  random,       // draws a program that is ready; schedules differ in how often they change the program
  round_robin,  // each in turn
  pct,  // by priorities that change at a few random points (probabilistic concurrency testing, d = 2 to 4)
  exhaustive  // all orders of conflicting accesses; for small cases. Atomic reads return the newest value
};
/// The faults that a check finds in kernels.
enum class FaultKind : std::uint8_t {
  race,           // two accesses of one byte without happens-before, one a write and one plain
  stale_read,     // a use of a value that an earlier call left in a staging
  deadlock,       // all programs wait
  livelock,       // a program runs on without end
  out_of_bounds,  // also memory of other calls, and a store to an input or a table
  misaligned,
  poison,      // a use of a lane that has no value: masked off, never written, divided by zero
  wrong_data,  // the result differs from the definition, or is not complete
  timeout      // a wait was given up although no rank was absent, or an error word is wrong
};
/// The enumerator in words: "pct", "stale read".
std::string_view name(ScheduleKind kind);
std::string_view name(FaultKind kind);

/// The first fault of a check. replay_of() repeats its schedule from kind and seed, or from the choices of an
/// exhaustive schedule.
struct Fault {
  FaultKind kind = FaultKind::race;
  std::string text;  // several lines: what, where in memory, rank, block, call and op of those concerned
  ScheduleKind schedule = ScheduleKind::random;
  std::uint64_t seed = 0;
  std::vector<int> choices = {};
  std::int64_t pct_turns = 0;  // the length that pct assumed
};

/// Bytes that the programs of one call move. Words of pads, errors and tables do not count.
struct Traffic {
  int world = 0;
  std::vector<std::int64_t> link_reads, link_writes;  // from rank to rank: entry from * world + to
  std::vector<std::int64_t> own_read, own_written;    // by rank
  std::int64_t signals = 0;                           // words stored in pads

  /// Bytes over all links into a rank, by reads and writes.
  std::int64_t into(int rank) const;
  /// Bytes over all links out of a rank, by reads and writes.
  std::int64_t out_of(int rank) const;
};

/// The result of a check: what ran, the bytes that moved, and the first fault.
struct CheckReport {
  std::int64_t schedules = 0;  // run, including the faulty one
  std::int64_t ops = 0;        // interpreted; constants and ranges are not
  std::int64_t turns = 0;
  bool all_schedules = true;     // false: stopped by a fault or most_ops, or exhaustive orders are left
  std::int64_t timeouts = 0;     // waits given up because a rank was absent
  std::vector<Traffic> traffic;  // of each call, in the first schedule
  std::optional<Fault> fault;

  /// True without a fault.
  explicit operator bool() const { return !fault; }
};

/// One line per item: schedules, ops, links with their bytes, the fault with its lines indented.
std::string to_string(const CheckReport& report);

}  // namespace tutti::kernels
