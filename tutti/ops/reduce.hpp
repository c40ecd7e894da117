// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti::ops {

/// Fold dims away: the sum, the product, the largest or smallest element, or all bits joined by `and` or
/// `or`; of no elements 0, 1, the smallest or largest value, or all ones or zeros.
/// x: [.., d, ..] -> [.., ..]. Sums pass every state; the others refuse U.
/// NaN propagates, -0 < +0. Max of bool is "any", min is "all"; the bits of floats are refused. The op
/// refuses a sum or product of bool; reduce_sum and reduce_prod convert it to i32.
/// Cost: one pass. The bits depend on the shape only: 16 lanes, pairwise blocks.
/// Source: StableHLO reduce; jax.lax.reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_and, reduce_or
/// (ties share the derivative).
struct Reduce {
  ReduceKind kind;
  Dims dims;  // in any order

  std::string_view name() const;
  About about() const;
  Mixing mixing() const;
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  std::string_view refusal(Rule rule) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Reduce&) const = default;
};
static_assert(complete<Reduce>());

}  // namespace tutti::ops

namespace tutti {

/// Folded over one dim, several, or all; over none: x itself. A sum of bool counts, in i32, as psum does.
/// Throws T006 for a dim out of range (reduce_c4) or named twice (reduce_c5), T007 for bits of floats, and
/// for more bools than i32 counts.
Array reduce_sum(const Operand& x, const internal::WhichDims& dims = all_dims);
/// The product; of bool in i32, 1 if all are true. Its derivative is right where factors are 0.
Array reduce_prod(const Operand& x, const internal::WhichDims& dims = all_dims);
/// The largest element; of bool "any". NaN propagates, -0 < +0; equal elements share the derivative. The
/// smallest value of the dtype for no elements. Throws T006, T004.
Array reduce_max(const Operand& x, const internal::WhichDims& dims = all_dims);
/// The smallest element; of bool "all". As reduce_max; the largest value for no elements.
Array reduce_min(const Operand& x, const internal::WhichDims& dims = all_dims);
/// All bits joined by and, or by or; of bools and integers. Throws T006, T007 for floats, T004.
Array reduce_and(const Operand& x, const internal::WhichDims& dims = all_dims);
Array reduce_or(const Operand& x, const internal::WhichDims& dims = all_dims);

}  // namespace tutti
