// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::kernels {

/// In which order programs take their turns. Turns end before accesses that peers may see: peer loads and stores, atomics.
enum class ScheduleKind : std::uint8_t {
  random,       // any program that can go on; how often turns change differs from schedule to schedule
  round_robin,  // each in turn
  pct,  // by priorities that change at a few random points (probabilistic concurrency testing, d = 2 to 4)
  exhaustive  // every order that differs for some pair of conflicting accesses; for small cases
};
enum class FaultKind : std::uint8_t {
  race,           // two accesses of one byte that nothing orders, and one of them is a plain one
  stale_read,     // a use of what an earlier call left in staging
  deadlock,       // all programs wait
  livelock,       // a program runs on without end
  out_of_bounds,  // also memory that is not the call's, and stores to memory that is only read
  misaligned,
  poison,      // a use of a lane that has no value: masked off, never written, divided by zero
  wrong_data,  // the result differs from the definition, or is not complete
  timeout      // a wait was given up although no rank was absent, or an error word is wrong
};
std::string_view name(ScheduleKind kind);
std::string_view name(FaultKind kind);

/// What went wrong first. A schedule is replayed by its kind and seed; an exhaustive one by its choices.
struct Fault {
  FaultKind kind = FaultKind::race;
  std::string text;  // several lines: what, where in memory, rank, block, call and op of those concerned
  ScheduleKind schedule = ScheduleKind::random;
  std::uint64_t seed = 0;
  std::vector<int> choices = {};
};

/// Bytes that one call moves, by the accesses of its programs. Words of pads, errors and tables are left out.
struct Traffic {
  int world = 0;
  std::vector<std::int64_t> link_reads, link_writes;  // from rank to rank: entry from * world + to
  std::vector<std::int64_t> own_read, own_written;    // by rank
  std::int64_t signals = 0;                           // words stored in pads

  /// Over all links into a rank, by reads and writes.
  std::int64_t into(int rank) const;
  std::int64_t out_of(int rank) const;
};

struct CheckReport {
  std::int64_t schedules = 0;  // run, the faulty one included
  std::int64_t ops = 0;        // interpreted; constants and ranges are not
  std::int64_t turns = 0;
  bool all_schedules = true;     // false: stopped by a fault or by CheckOptions::most_ops
  std::int64_t timeouts = 0;     // waits that were given up, where a rank was absent
  std::vector<Traffic> traffic;  // of each call, in the first schedule
  std::optional<Fault> fault;

  explicit operator bool() const { return !fault; }
};

/// One line per item: schedules, ops, links with their bytes, the fault with its lines indented.
std::string to_string(const CheckReport& report);

}  // namespace tutti::kernels
