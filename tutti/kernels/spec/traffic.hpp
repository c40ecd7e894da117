// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tutti/kernels/spec/collective_spec.hpp"

namespace tutti::kernels {

/// Bytes of payload that one rank moves between itself and its peers in a call: read by a pull, stored by a push.
/// With S the bytes of a block, W ranks:
/// - all_gather, reduce_scatter, all_to_all: (W - 1) S;
/// - all_reduce: (W - 1) S in one shot; in two shots the other ranks' parts twice, about 2 S (W - 1) / W;
/// - ppermute: S, 0 to itself and for a rank whose pair is missing (pull: its source; push: its target);
/// - packets: twice as much for elements of 4 bytes and more, because half of a packet is its number.
/// Throws T015 with the reason if the spec is not eligible.
std::int64_t link_bytes(const CollectiveSpec& spec, int rank);

/// The same of all ranks.
std::int64_t link_bytes(const CollectiveSpec& spec);

/// Bytes of payload that a rank's own programs read from and write to its own memory in a call. What peers read and
/// write there are their link_bytes. Packets: as if every packet were there at its first poll.
struct MemoryBytes {
  std::int64_t read = 0, written = 0;
  bool operator==(const MemoryBytes&) const = default;
};
MemoryBytes memory_bytes(const CollectiveSpec& spec, int rank);

/// What no kernel can do without, of all ranks: W blocks less one must come to each rank, or their sum's parts and the
/// parts of the result.
std::int64_t least_link_bytes(const CollectiveSpec& spec);

}  // namespace tutti::kernels
