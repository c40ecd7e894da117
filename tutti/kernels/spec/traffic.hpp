// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tutti/kernels/spec/collective_spec.hpp"

namespace tutti::kernels {

/// Bytes of payload that one rank reads from its peers (pull) or stores to them (push, packets) in a call.
/// S: bytes of a block, W: ranks.
/// - all_gather, reduce_scatter, all_to_all: (W - 1) S.
/// - all_reduce: (W - 1) S; two_shot: about 2 S (W - 1) / W.
/// - ppermute: S; 0 for a pair of a rank with itself, and for a rank without a source (pull) or a target
///   (push).
/// - packets: 8 bytes per packet to each peer. That is 2 (W - 1) S for elements of 4 bytes and more, because
///   half of a packet is its sequence number; smaller elements take one packet each.
/// Throws T015 with the reason if the spec is not eligible.
std::int64_t link_bytes(const CollectiveSpec& spec, int rank);

/// The sum of link_bytes() over all ranks.
std::int64_t link_bytes(const CollectiveSpec& spec);

/// Bytes of payload that a rank's own programs read from and write to its own memory in a call. Accesses by
/// peers count as their link_bytes(). For packets, `read` assumes that every packet has arrived before its
/// first poll.
struct MemoryBytes {
  std::int64_t read = 0, written = 0;
  bool operator==(const MemoryBytes&) const = default;
};
MemoryBytes memory_bytes(const CollectiveSpec& spec, int rank);

/// The fewest bytes that any kernel of the collective moves, over all ranks. all_gather, reduce_scatter,
/// all_to_all: W (W - 1) S. all_reduce: 2 (W - 1) S, each part once to its fold and once back. ppermute:
/// link_bytes(spec).
std::int64_t least_link_bytes(const CollectiveSpec& spec);

}  // namespace tutti::kernels
