// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tutti/kernels/spec/collective_spec.hpp"

namespace tutti::kernels {

/// How elements are moved: bits as i8, i16, i32 or i64; complex128 as two i64. A reduction has one part, of its dtype.
struct MovedElement {
  int bits = 8;
  int parts = 1;  // of one element of the spec's dtype
  bool operator==(const MovedElement&) const = default;
};

/// A packet has 4 bytes of data: a smaller element has one of its own, a larger one several.
inline int packets_per_element(const MovedElement& moved) { return moved.bits <= 32 ? 1 : moved.bits / 32; }

/// An array as a kernel sees it: [outer, blocks, inner], row-major, of moved elements. `blocks` is the world where the
/// blocks of all ranks lie side by side, 1 for a block alone.
struct BlockedArray {
  std::int64_t outer = 1;
  int blocks = 1;
  std::int64_t inner = 1;

  std::int64_t elements() const { return outer * blocks * inner; }
  /// Where element i of a block lies, 0 <= i < outer * inner.
  std::int64_t offset(std::int64_t i, int block) const {
    return (i / inner * blocks + block) * inner + i % inner;
  }
  bool operator==(const BlockedArray&) const = default;
};

enum class OffsetType : std::uint8_t { i32, i64 };

/// An eligible collective of any rank and dim, as operand and result with one dim of blocks each.
struct CanonicalView {
  MovedElement moved;
  std::int64_t elements = 0;  // moved ones, of one block
  BlockedArray operand;       // has blocks for reduce_scatter and all_to_all
  BlockedArray result;        // has blocks for all_gather and all_to_all
  OffsetType offsets = OffsetType::i32;

  std::int64_t block_bytes() const { return elements * moved.bits / 8; }
  bool operator==(const CanonicalView&) const = default;
};

/// Throws T015 with the reason if the spec is not eligible.
CanonicalView view_of(const CollectiveSpec& spec);

}  // namespace tutti::kernels
