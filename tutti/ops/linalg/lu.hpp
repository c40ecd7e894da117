// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The factors of a[permutation] = l u, with rows swapped so that the largest element of a column divides it.
/// Result 0 holds both: u on and above the diagonal, below it l, whose diagonal is ones. Result 1: row i was
/// swapped with row pivots[i], one after the other. Result 2: the same swaps as a permutation of the rows.
/// a: [.., m, n] of f32, f64, complex64 or complex128 -> the same, i32 [.., min(m, n)], i32 [.., m]; U is
/// refused. A singular matrix has zeros on u's diagonal.
/// Cost: m n min(m, n) operations, 2/3 n^3 of square matrices, by LAPACK's getrf for each matrix.
/// Source: jax.lax.linalg.lu.
struct Lu {
  static constexpr std::string_view name = "lu";
  static constexpr About about{"The triangular factors of matrices, with rows swapped.", "lu"};

  Mixing mixing() const { return Mixing::alike; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"the factors of a sum are not sums of factors, so it is not linear"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Lu&) const = default;
};
static_assert(complete<Lu>());

}  // namespace tutti::ops

namespace tutti {

/// The result of lu: both factors in one array, the swaps one by one, and as a permutation of the rows.
struct LuResult {
  Array lu, pivots, permutation;
};
/// jax.lax.linalg.lu: a[permutation] = l u. a: [.., m, n] -> lu: [.., m, n], pivots: i32 [.., min(m, n)],
/// permutation: i32 [.., m].
/// Throws T007 for other dtypes than f32, f64, complex64, complex128 (lu_c1), T005 for fewer than two dims
/// (lu_c2), T004 for an unreduced sum.
LuResult lu(const Operand& a);

}  // namespace tutti
