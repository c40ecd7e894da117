// SPDX-License-Identifier: Apache-2.0
// The constants on which kernels, manifests and the runtime must agree.
#pragma once

#include <cstdint>

namespace tutti::kernels {

/// The vendor of the GPU that a kernel is for.
enum class Target : std::uint8_t { nvidia, amd };

/// 32 on NVIDIA, 64 on AMD.
constexpr int threads_per_warp(Target target) {
  switch (target) {
    case Target::nvidia: return 32;
    case Target::amd: break;  // wave64
  }
  return 64;
}

/// The largest grid. Blocks wait for each other, so all must be resident; every GPU since 2016 holds 32.
inline constexpr int most_blocks = 32;
inline constexpr int most_threads = 1024;  // of a block
inline constexpr int most_world = 16;      // ranks of a group
static_assert(most_world <= threads_per_warp(Target::nvidia), "one thread signals each peer");

/// Alignment of every buffer and staging half, which is the size of one vector access of a thread.
inline constexpr int alignment_bytes = 16;

/// A signal pad has one row per block; a row has slots of 32 bits. Rows begin at multiples of pad_row_bytes,
/// one sector.
inline constexpr int slot_bytes = 4;
inline constexpr int pad_row_bytes = 32;
/// Each peer has three slots in a row, so that kernels of all encodings can share a pad. Slot 0 is for waits
/// that accept any number not behind the expected one. Slots 1 and 2 alternate for waits for equality
/// (Encoding::poll): a peer may be one signal ahead.
inline constexpr int slots_per_peer = 3;
/// Error words are pairs, initially {0, 0}. Pair 1 + block * world + peer becomes {1, sequence} when that
/// block gives up its wait for that peer. Pair 0 then becomes {1, 0}, and later kernels of the rank exit at
/// once: they would overwrite data that a slow peer still reads.
inline constexpr int error_pair_bytes = 8;

/// The timeout of an AtomicPoll without a limit: 146 years. The op has no value for "never".
inline constexpr std::int64_t poll_for_ever_ns = std::int64_t{1} << 62;

/// After this number of signals a group fills its pads, and the packets of its inboxes, with the number
/// before the next. Without this, a word that only large grids write would keep an old number, and after a
/// wrap-around a wait would take the old number for a new one.
inline constexpr std::int64_t signals_until_refresh = std::int64_t{1} << 30;

/// The most elements of one tensor in a kernel: Triton's limit.
inline constexpr std::int64_t most_tile_elements = std::int64_t{1} << 20;
/// Tiles per group in swizzled kernels. The value is that of Triton's grouped matmul; not measured here.
inline constexpr std::int64_t swizzle_group = 8;
/// A packet is 4 bytes of data and 4 of the sequence number, stored at once.
inline constexpr int packet_bytes = 8;
/// The most bytes that a rank sends to one peer as packets. A barrier is faster for more (MSCCL++'s ladder).
inline constexpr std::int64_t most_packet_bytes = std::int64_t{64} << 10;
/// The stride between inboxes: a packet for each byte. All kernels use the same stride: each word of an inbox
/// then has only one sender, whose stores to it arrive in order without a fence.
inline constexpr std::int64_t packet_inbox_bytes = most_packet_bytes * packet_bytes;
/// The largest size of both staging halves together: a byte offset plus one tile then fits an i64.
inline constexpr std::int64_t most_staging_bytes = std::int64_t{1} << 62;

}  // namespace tutti::kernels
