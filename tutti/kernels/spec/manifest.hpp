// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/kernels/spec/launch.hpp"

namespace tutti::kernels {

enum class ArgumentKind : std::uint8_t {
  input,
  output,
  rank,           // the place in the group
  sequence,       // number of this call's first signal; wraps
  half,           // of the table: 0 or 1, the other one in every call of the group that has this table
  signal_table,   // the address of every rank's signal pad
  staging_table,  // of half 0 of every rank's staging, then of half 1: entry half * world + rank
  inbox_table,    // of every rank's inboxes, by halves too
  output_table,   // of every rank's output
  wait_limit,     // polls (Encoding::poll: nanoseconds) before a wait gives up; 0: never
  error           // where a wait that gives up says so: see error_pair_bytes
};
std::string_view name(ArgumentKind kind);

struct LaunchArgument {
  ArgumentKind kind;
  DType dtype;    // of a scalar, or of the elements that are pointed to; an address is an i64
  int alignment;  // of a scalar its size, of a pointer what the host promises, in bytes
  bool operator==(const LaunchArgument&) const = default;
};

/// Signals: a row per block of the grid, in it slots_per_peer slots for every rank.
struct Pads {
  int rows = 0;
  int row_bytes = 0;
  int slots = 0;  // of a row
  bool operator==(const Pads&) const = default;
};

/// What peers read from or write to, per rank. Two halves, used in turn. A half is a buffer of its own: halves at an
/// offset that depends on the kernel would overlap when the sizes of calls change.
struct Staging {
  std::int64_t bytes_per_half = 0;
  int halves = 0;  // 2, or 0 for none
  std::int64_t bytes() const { return bytes_per_half * halves; }
  bool operator==(const Staging&) const = default;
};

/// A group counts signals for all of its kernels: a call takes the next `signals` numbers, one for each barrier.
struct SequenceRule {
  int signals = 1;
  std::int64_t refresh = signals_until_refresh;
  bool operator==(const SequenceRule&) const = default;
};

/// What a compiler adds to a kernel; the launcher must provide it.
struct CompilerNeeds {
  int hidden_pointers = 0;         // arguments after ours: Triton's scratch for globals and for profiles
  std::int64_t shared_bytes = 0;   // dynamic shared memory of a block
  std::int64_t scratch_bytes = 0;  // global scratch of a block, the first hidden pointer
  bool operator==(const CompilerNeeds&) const = default;
};

/// All that a host needs to launch a compiled kernel. What a compiler changes (warps, needs) is written back here.
struct Manifest {
  std::string name;  // letters, digits and _
  Target target = Target::nvidia;
  Encoding encoding = Encoding::poll;
  CollectiveSpec spec;
  /// Entries of the compiled module: kernels that are launched one after the other with the same arguments. Two for
  /// two_launches, else one.
  std::vector<std::string> entries;
  std::vector<LaunchArgument> arguments;  // in order
  Pads pads;
  Staging staging;
  Staging inboxes;  // of packets: one for each rank, packet_inbox_bytes apart; nothing else is stored there
  Launch launch;
  bool cooperative = true;  // blocks wait for each other: all of them must be resident
  std::int64_t error_bytes = 0;
  CompilerNeeds needs;
  SequenceRule sequence;

  bool operator==(const Manifest&) const = default;
};

/// The manifest by policy, or with a launch of the caller's.
/// Throws T015 with the reason if the spec is not eligible, or if the target has not the encoding.
Manifest manifest_of(const CollectiveSpec& spec, Target target, Encoding encoding = Encoding::poll,
                     std::optional<Launch> launch = std::nullopt);

/// Throws R001 if the parts of a manifest do not fit together: a grid larger than its pads, a staging that is too small,
/// warps or tiles that are no powers of two, arguments that the variant does not have.
void require_valid(const Manifest& manifest);
/// For the launcher: throws T015 unless what a group has allocated is enough for the kernel.
void require_fits(const Manifest& manifest, const Pads& allocated, const Staging& staging,
                  const Staging& inboxes);

/// JSON, and back: manifest_from_text(text_of(m)) == m. Both throw R001 for an invalid manifest; reading also for a text
/// that is not JSON, a newer version, a key that is missing or unknown, and a value of another type.
std::string text_of(const Manifest& manifest);
Manifest manifest_from_text(std::string_view text);

}  // namespace tutti::kernels
