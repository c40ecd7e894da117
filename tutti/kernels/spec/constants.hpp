// SPDX-License-Identifier: Apache-2.0
// The one place of the numbers that kernels, manifests and the runtime must agree on.
#pragma once

#include <cstdint>

namespace tutti::kernels {

/// Whose machine a kernel is for.
enum class Target : std::uint8_t { nvidia, amd };

constexpr int threads_per_warp(Target target) {
  switch (target) {
    case Target::nvidia: return 32;
    case Target::amd: break;  // wave64
  }
  return 64;
}

/// Blocks of a grid. Blocks wait for each other, so all of them must be resident; every GPU since 2016 holds 32.
inline constexpr int most_blocks = 32;
inline constexpr int most_threads = 1024;  // of a block
inline constexpr int most_world = 16;      // ranks of a group
static_assert(most_world <= threads_per_warp(Target::nvidia), "one thread signals each peer");

/// Promised for every buffer and staging half; one vector access of a thread.
inline constexpr int alignment_bytes = 16;

/// A signal pad has a row per block and in it slots of 32 bits. Rows begin at multiples of pad_row_bytes, one sector.
inline constexpr int slot_bytes = 4;
inline constexpr int pad_row_bytes = 32;
/// Slot 0 of a peer counts: a wait takes any word that is not behind. A wait for equality (Encoding::poll) needs two
/// slots, used in turn, because a peer may be one signal ahead: 1 and 2. So kernels of all encodings may share a pad.
inline constexpr int slots_per_peer = 3;
/// Error words are pairs. Pair 0 is {1, 0} once a wait of the rank was given up: kernels then leave at once, because calls
/// that follow would overwrite what a slow peer still reads. Pair 1 + block * world + peer is {1, sequence} where that wait
/// was given up. All words are 0 before.
inline constexpr int error_pair_bytes = 8;

/// The timeout of an AtomicPoll that never gives up: 146 years in ns. The op has no other word for that.
inline constexpr std::int64_t poll_for_ever_ns = std::int64_t{1} << 62;

/// After this many signals a group fills its pads, and the packets of its inboxes, with the number before the next. A word
/// that no grid has reached since then would otherwise hold an old number, and seem to be ahead or to have come.
inline constexpr std::int64_t signals_until_refresh = std::int64_t{1} << 30;

/// Elements of one tensor of a kernel; Triton's limit.
inline constexpr std::int64_t most_tile_elements = std::int64_t{1} << 20;
/// Tiles of a group in swizzled kernels, as in Triton's grouped matmul; not measured here.
inline constexpr std::int64_t swizzle_group = 8;
/// What a rank gives to one peer as packets, at most. Larger data are faster with a barrier (MSCCL++'s ladder).
/// Of one packet: 4 bytes of data and 4 of the sequence number, stored at once.
inline constexpr int packet_bytes = 8;
/// From one inbox to the next. It is the same for all kernels, so that a word of an inbox has one sender for ever: its
/// stores come in order without a fence.
inline constexpr std::int64_t packet_inbox_bytes = (std::int64_t{64} << 10) * packet_bytes;
inline constexpr std::int64_t most_packet_bytes = std::int64_t{64} << 10;
/// Of both staging halves together, at most: a byte offset plus one tile fits an i64.
inline constexpr std::int64_t most_staging_bytes = std::int64_t{1} << 62;

}  // namespace tutti::kernels
