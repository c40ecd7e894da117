// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/kernels/spec/launch.hpp"

namespace tutti::kernels {

/// The arguments of kernels. A table holds one address per rank, or one per half and rank.
enum class ArgumentKind : std::uint8_t {
  input,
  output,
  rank,           // the rank's place in the group
  sequence,       // number of this call's first signal; wraps
  half,           // 0 or 1: the half of the table that this call uses; calls that use the table alternate
  signal_table,   // every rank's signal pad
  staging_table,  // both halves of every rank's staging: entry half * world + rank
  inbox_table,    // both halves of every rank's inboxes: entry half * world + rank
  output_table,   // every rank's output
  wait_limit,     // polls before a wait gives up, or nanoseconds for barriers in Encoding::poll; 0: never
  error           // words in which a wait that gives up reports the failure: see error_pair_bytes
};
/// The enumerator as text: "signal_table".
std::string_view name(ArgumentKind kind);

/// An argument of a kernel, as the host passes it.
struct LaunchArgument {
  ArgumentKind kind;
  DType dtype;    // the type of a scalar or of a pointer's elements; a table has i64 elements
  int alignment;  // in bytes: a scalar's size, or the alignment that the host promises for a pointer
  bool operator==(const LaunchArgument&) const = default;
};

/// The size of a signal pad: one row per block of the grid, and in each row slots_per_peer slots per rank.
struct Pads {
  int rows = 0;
  int row_bytes = 0;
  int slots = 0;  // of a row
  bool operator==(const Pads&) const = default;
};

/// The size of one rank's staging, the memory that peers read or write. Calls alternate between two halves.
/// Each half is a separate buffer: halves at offsets that depend on the kernel would overlap when the sizes
/// of calls differ.
struct Staging {
  std::int64_t bytes_per_half = 0;
  int halves = 0;  // 2, or 0 for none
  /// The bytes of all halves.
  std::int64_t bytes() const { return bytes_per_half * halves; }
  bool operator==(const Staging&) const = default;
};

/// How a call takes signal numbers. One counter serves all kernels of a group: a call takes the next
/// `signals` numbers, one for each barrier (one in all for packets). After `refresh` numbers the group
/// refills its pads.
struct SequenceRule {
  int signals = 1;
  std::int64_t refresh = signals_until_refresh;
  bool operator==(const SequenceRule&) const = default;
};

/// Resources that a compiler adds to a kernel and that the launcher must provide.
struct CompilerNeeds {
  int hidden_pointers = 0;         // arguments after ours: Triton's global scratch and profile scratch
  std::int64_t shared_bytes = 0;   // dynamic shared memory of a block
  std::int64_t scratch_bytes = 0;  // global scratch of a block, at the first hidden pointer
  bool operator==(const CompilerNeeds&) const = default;
};

/// Everything that a host needs to launch a compiled kernel. After compilation the compiler's warps and needs
/// are written back here.
struct Manifest {
  std::string name;  // letters, digits and _
  Target target = Target::nvidia;
  Encoding encoding = Encoding::poll;
  CollectiveSpec spec;
  /// Entries of the compiled module, launched one after another with the same arguments: two for
  /// two_launches, else one.
  std::vector<std::string> entries;
  std::vector<LaunchArgument> arguments;  // in order
  Pads pads;
  Staging staging;
  Staging inboxes;  // for packets: one inbox per rank, at a stride of packet_inbox_bytes; holds nothing else
  Launch launch;
  bool cooperative = true;  // blocks wait for each other, so all blocks must be resident
  std::int64_t error_bytes = 0;
  CompilerNeeds needs;
  SequenceRule sequence;

  bool operator==(const Manifest&) const = default;
};

/// The pads of a group of `world` ranks for grids of up to `rows` blocks.
Pads pads_for(int world, int rows);

/// Makes the manifest of a spec, with launch_of() or the given launch.
/// Throws T015 with the reason if the spec is not eligible or the target lacks the encoding.
Manifest manifest_of(const CollectiveSpec& spec, Target target, Encoding encoding = Encoding::poll,
                     std::optional<Launch> launch = std::nullopt);

/// Checks a manifest. Throws R001 if its parts do not fit together: a grid larger than its pads, a staging
/// that is too small, warps or tiles that are no powers of two, arguments that the variant does not have.
void require_valid(const Manifest& manifest);
/// Checks, before a launch, that a group's memory is large enough for the kernel; throws T015 if not.
void require_fits(const Manifest& manifest, const Pads& allocated, const Staging& staging,
                  const Staging& inboxes);

/// Write a manifest as JSON and read it back: manifest_from_text(text_of(m)) == m. Both throw R001 for an
/// invalid manifest. Reading also throws R001 for text that is not JSON, a newer version, a missing or
/// unknown key, and a value of the wrong type.
std::string text_of(const Manifest& manifest);
Manifest manifest_from_text(std::string_view text);

}  // namespace tutti::kernels
