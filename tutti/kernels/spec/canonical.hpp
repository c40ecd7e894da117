// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tutti/kernels/spec/collective_spec.hpp"

namespace tutti::kernels {

/// The unit in which a kernel moves elements: i8, i16, i32 or i64; a complex128 moves as two i64. Elements of
/// a reduction keep their dtype and have one part.
struct MovedElement {
  int bits = 8;
  int parts = 1;  // units per element of the spec's dtype
  bool operator==(const MovedElement&) const = default;
};

/// A packet carries 4 bytes of data: an element of up to 4 bytes takes one packet, an element of 8 bytes two.
inline int packets_per_element(const MovedElement& moved) { return moved.bits <= 32 ? 1 : moved.bits / 32; }

/// An array of moved elements as a kernel addresses it: [outer, blocks, inner], row-major. `blocks` is the
/// world if the array holds the blocks of all ranks, and 1 if the array is a single block.
struct BlockedArray {
  std::int64_t outer = 1;
  int blocks = 1;
  std::int64_t inner = 1;

  /// The number of elements of the array.
  std::int64_t elements() const { return outer * blocks * inner; }
  /// The offset in the array of element i of a block, 0 <= i < outer * inner.
  std::int64_t offset(std::int64_t i, int block) const {
    return (i / inner * blocks + block) * inner + i % inner;
  }
  bool operator==(const BlockedArray&) const = default;
};

/// The integers in which a kernel computes offsets.
enum class OffsetType : std::uint8_t { i32, i64 };

/// An eligible collective of any rank and dim, viewed as two arrays of three dims: operand and result.
struct CanonicalView {
  MovedElement moved;
  std::int64_t elements = 0;  // moved elements of one block
  BlockedArray operand;       // has blocks for reduce_scatter and all_to_all
  BlockedArray result;        // has blocks for all_gather and all_to_all
  OffsetType offsets = OffsetType::i32;

  /// The bytes of one block.
  std::int64_t block_bytes() const { return elements * moved.bits / 8; }
  bool operator==(const CanonicalView&) const = default;
};

/// Computes the view of a spec. Throws T015 with the reason if the spec is not eligible.
CanonicalView view_of(const CollectiveSpec& spec);

}  // namespace tutti::kernels
