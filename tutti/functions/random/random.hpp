// SPDX-License-Identifier: Apache-2.0
// Random numbers as jax.random has them: keys that are split, never changed, and draws that depend on key,
// shape and dtype only. Equal to JAX bit for bit (threefry2x32, jax_threefry_partitionable). Where neither a
// dtype nor an array says in which dtype to draw, it is that of JAX without x64: f32, i32. Draws that are not
// uniform are in random_distributions.hpp.
//
// Outside of shard_map a draw is whole, so it is the same on every mesh. Inside, it is equal on the devices
// along which the key is; with .block each device has its block of that same draw. For a draw of its own on
// each device fold in its position: fold_in(key, axis_index("data")).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "tutti/ir/array.hpp"
#include "tutti/tensor/loops/random_bits.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {

/// The key of a draw; a tree with one leaf. Use a key once, for a draw or a split: equal keys draw equal
/// numbers.
struct Key {
  Array data;  // u32[2]
};

// key, split and fold_in also work outside of a trace, and give finished keys there.

/// jax.random.PRNGKey: the upper and the lower 32 bits of an integer, or of an integer scalar.
/// Throws T007 for other arrays than integers, T005 unless they are scalars, T008 for a number that is not an
/// integer.
Key key(const Operand& seed);
/// jax.random.split: n keys of their own. Throws T005 for a negative n.
std::vector<Key> split(const Key& key, int n = 2, Where where = Where::here());
/// auto [a, b] = split<2>(key);
template <std::size_t n>
std::array<Key, n> split(const Key& key, Where where = Where::here()) {
  std::vector<Key> keys = split(key, static_cast<int>(n), where);
  std::array<Key, n> result;
  for (std::size_t i = 0; i < n; ++i) result[i] = keys[i];
  return result;
}
/// jax.random.fold_in: the key for `data`, a number from 0 to 2^32 - 1 or an integer scalar, whose lower 32
/// bits count.
/// Throws T005, T007, T008.
Key fold_in(const Key& key, const Operand& data);

/// Options of bits, randint, bernoulli and the distributions.
struct DrawOptions {
  /// Inside shard_map: the shape is that of the whole draw, the result this device's block of it, varying
  /// over these axes.
  std::optional<P> block = {};
};

// All throw T005 or T007 for a key that is not u32[2], T005 for a shape that no array has and for a dim that
// does not split over the axes of .block, T001 for axes of .block that are not bound here, T013 for a spec
// that does not fit.

/// jax.random.bits. Throws T007 unless `dtype` is unsigned.
Array bits(const Key& key, const Shape& shape, DType dtype, const DrawOptions& options = {},
           Where where = Where::here());

/// Options of uniform; `block` as in DrawOptions.
struct UniformOptions {
  Operand low = 0.0, high = 1.0;  // numbers, or arrays that broadcast to the result
  std::optional<P> block = {};
};
/// jax.random.uniform: numbers of [low, high). Of bounds that are arrays, and in f16 and bf16, low + (high -
/// low) * u is rounded twice. JAX rounds once, as this does for numbers, where XLA fuses the two: there they
/// differ by one unit.
/// Throws T007 unless `dtype` is a float.
Array uniform(const Key& key, const Shape& shape, DType dtype, const UniformOptions& options = {},
              Where where = Where::here());

/// jax.random.randint: integers of [low, high), `low` where that is empty; bounds are integers, or arrays of
/// integers that broadcast to the result. Throws T007 unless `dtype` is an integer, T008 for other numbers.
Array randint(const Key& key, const Shape& shape, const Operand& low, const Operand& high, DType dtype,
              const DrawOptions& options = {}, Where where = Where::here());

/// jax.random.bernoulli: true with probability p, a number (it draws in f32) or an array of floats that
/// broadcasts to the result. Throws T007 unless p is a float.
Array bernoulli(const Key& key, const Operand& p, const Shape& shape, const DrawOptions& options = {},
                Where where = Where::here());

/// jax.random.permutation: the numbers 0 to n - 1 in random order, i32 (i64 beyond 2^31). Throws T005 for a
/// negative n.
Array permutation(const Key& key, std::int64_t n, Where where = Where::here());
/// x in random order along `dim`. Throws T006.
Array permutation(const Key& key, const Array& x, int dim = 0, Where where = Where::here());

/// Options of choice.
struct ChoiceOptions {
  bool replace = true;  // false: no element twice
  int dim = 0;          // of an array
};
/// jax.random.choice, all equally likely: numbers of 0 to n - 1, i32 (i64 beyond 2^31).
/// Throws T005 to take from nothing, or more than there is without replacement.
Array choice(const Key& key, std::int64_t n, const Shape& shape, const ChoiceOptions& options = {},
             Where where = Where::here());
/// x: [.., d, ..] -> [.., shape.., ..]: elements, or slices, along a dim. Throws T006 as well.
Array choice(const Key& key, const Array& x, const Shape& shape, const ChoiceOptions& options = {},
             Where where = Where::here());

}  // namespace tutti
