// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/tensor/loops/random_bits.hpp"

namespace tutti {

/// A block of a random draw: unsigned integers of random bits, or floats uniform in [low, low + width),
/// rounded once. An element depends on the key and its number only: `start`, 0 if not given, plus its
/// row-major position in `whole`.
/// key: u32[b.., 2], start: u64[] or u64[b..] -> dtype[b.., block]: a draw for each key; I, R and V pass, U
/// is refused.
/// Cost: 1.5 ns an element with AVX2 (bench/programs_random). Any split of a draw gives the same bits.
/// Source: Threefry-2x32 (Salmon, Moraes, Dror, Shaw 2011) as jax.random.bits and uniform use it,
/// partitionable.
struct RandomBits {
  static constexpr std::string_view name = "random_bits";
  static constexpr About about{"A block of a random draw: bits, or floats uniform in a range.",
                               "bits, uniform, normal, randint, split, fold_in and others"};

  DType dtype;  // unsigned, or a float
  Shape block, whole;
  RandomRange range = {};  // of f32 and f64

  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"a key is made of integers, so it has no cotangent"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const RandomBits&) const = default;
};
static_assert(complete<RandomBits>());

/// Throws T007 unless `key` is u32 and `start` u64 (random_bits_c1) and for a dtype that is neither unsigned
/// nor a float (random_bits_c2), T005 unless `key` ends in a dim of 2 (random_bits_c3), `start` is a scalar
/// or one number for each key (random_bits_c4), and `block` lies in `whole` (random_bits_c5), T004 for an
/// unreduced sum, T007 for a range of another dtype than f32 and f64 (random_bits_c6).
Array random_bits(const Array& key, const std::optional<Array>& start, const RandomBits& draw);

}  // namespace tutti
