// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti::ops {

/// Running folds along a dim: of all elements up to each, itself among them; backward: of all from each on.
/// The sum, the product, the largest, the smallest, or log(sum(exp)), each printed under its own name.
/// x: [.., d, ..] -> the same. Sums pass every state, the others refuse U. Sum and product take numbers, max
/// and min all but complex numbers, logsumexp floats.
/// Cost: one pass. The bits depend on the shape only: each fold has a fixed tree.
/// Derivatives but that of the sum go by the recursion of jax.lax.associative_scan, as JAX's.
/// Source: jax.lax.cumsum, cumprod, cummax, cummin, cumlogsumexp, by StableHLO reduce_window.
struct Cumulative {
  CumulativeKind kind;
  Dim dim;
  Order order = Order::forward;

  std::string_view name() const;
  About about() const;
  Mixing mixing() const { return kind == CumulativeKind::sum ? Mixing::linear : Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  std::string_view refusal(Rule rule) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Cumulative&) const = default;
};
static_assert(complete<Cumulative>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.cumsum; Order::backward is its reverse=True. A negative `dim` counts from the end.
/// Throws T006 if `dim` is out of range (cumsum_c1), T007 for bool (cumsum_c2).
Array cumsum(const Operand& x, int dim = 0, Order order = Order::forward);
/// The running product. Its derivative is right where elements are 0. Throws T006 (cumprod_c1), T007 for bool
/// (cumprod_c2), T004.
Array cumprod(const Operand& x, int dim = 0, Order order = Order::forward);
/// The running maximum, or minimum. NaN from the first NaN on; -0 < +0. Throws T006 (cummax_c1), T007 for
/// complex numbers, T004.
Array cummax(const Operand& x, int dim = 0, Order order = Order::forward);
Array cummin(const Operand& x, int dim = 0, Order order = Order::forward);
/// log(cumsum(exp(x))), without overflow. Throws T006 (cumlogsumexp_c1), T007 unless x is of floats
/// (cumlogsumexp_c2), T004.
Array cumlogsumexp(const Operand& x, int dim = 0, Order order = Order::forward);

}  // namespace tutti
