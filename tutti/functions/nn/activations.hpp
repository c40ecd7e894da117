// SPDX-License-Identifier: Apache-2.0
// The activations of jax.nn; programs show the ops. relu is in ops/binary.
#pragma once

#include "tutti/ir/array.hpp"

namespace tutti {

/// Options of gelu.
struct GeluOptions {
  /// JAX's formula, by the logistic function instead of tanh, which rounds less. False: by erfc.
  bool approximate = true;
};
/// x times the probability that a normal number is below x.
Array gelu(const Operand& x, const GeluOptions& options = {});
/// x logistic(x), also called swish.
Array silu(const Operand& x);
/// x where x > 0, else alpha (exp(x) - 1).
Array elu(const Operand& x, double alpha = 1);
/// elu with the alpha and the scale of self-normalising networks.
Array selu(const Operand& x);
/// log(1 + exp(x)) without overflow.
Array softplus(const Operand& x);
/// log(logistic(x)) without underflow.
Array log_sigmoid(const Operand& x);
/// x where x >= 0, else slope x.
Array leaky_relu(const Operand& x, double slope = 0.01);
/// x between -1 and 1. The derivative is 1 there, ends included, else 0.
Array hard_tanh(const Operand& x);
/// The first half along `dim` times logistic(the second half). x: [.., 2n, ..] -> [.., n, ..].
/// Throws T006 for a dim out of range, T005 if its size is odd.
Array glu(const Operand& x, int dim = -1);

}  // namespace tutti
