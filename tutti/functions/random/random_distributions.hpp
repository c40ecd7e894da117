// SPDX-License-Identifier: Apache-2.0
// Draws that are not uniform, by the algorithms of jax.random; keys and .block: see random.hpp. They differ
// from JAX by at most 4 units in the last place of each function that they are made of.
#pragma once

#include "tutti/functions/random/random.hpp"

namespace tutti {

/// jax.random.normal: mean 0, variance 1. For a complex dtype both parts have variance 1/2.
/// Throws T007 unless `dtype` is a float or complex.
Array normal(const Key& key, const Shape& shape, DType dtype, const DrawOptions& options = {},
             Where where = Where::here());
/// jax.random.truncated_normal: normal numbers between the bounds, which are numbers, or arrays that
/// broadcast to the result.
/// Throws T007 unless `dtype` is a float.
Array truncated_normal(const Key& key, const Operand& lower, const Operand& upper, const Shape& shape,
                       DType dtype, const DrawOptions& options = {}, Where where = Where::here());
/// jax.random.exponential: with the density exp(-x) from 0 on. Throws T007 unless `dtype` is a float.
Array exponential(const Key& key, const Shape& shape, DType dtype, const DrawOptions& options = {},
                  Where where = Where::here());
/// jax.random.gumbel (mode "low"): with the density exp(-(x + exp(-x))). Throws T007 unless `dtype` is a
/// float.
Array gumbel(const Key& key, const Shape& shape, DType dtype, const DrawOptions& options = {},
             Where where = Where::here());

/// Options of categorical.
struct CategoricalOptions {
  int dim = -1;                     // of the logits: the classes
  std::optional<Shape> shape = {};  // [more.., b..]: several draws from each distribution; none: one, [b..]
  std::optional<P> block = {};      // for the result: the logits are blocks then, and so is `shape`
};
/// jax.random.categorical: of each distribution a class, i32, with probability softmax(logits). logits:
/// floats [b.., classes] -> [b..]. Throws T005, T006, T007 unless they are floats.
Array categorical(const Key& key, const Operand& logits, const CategoricalOptions& options = {});

/// Zeros with probability `rate`, else x / (1 - rate), as flax.linen.Dropout: in the mean x. x keeps its
/// states, so along an axis over which x varies give .block, or a key of its own to each device: else all
/// devices drop the same places.
/// With .block x is a block. The places are those of bernoulli(key, 1 - rate in f32, shape).
/// Throws T008 unless 0 <= rate <= 1, T007 unless x is of floats or complex numbers.
Array dropout(const Key& key, const Operand& x, double rate, const DrawOptions& options = {});

}  // namespace tutti
