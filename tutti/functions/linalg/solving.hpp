// SPDX-License-Identifier: Apache-2.0
// Equations, inverses and determinants of square matrices, by lu. The last two dims of an array are its
// matrices; f32, f64, complex64, complex128.
#pragma once

#include "tutti/ir/array.hpp"

namespace tutti {

/// jax.numpy.linalg.solve: the x of a x = b. a: [.., n, n]; b: [n], or [.., n, k]; dims in front broadcast ->
/// [.., n] or [.., n, k]. A singular matrix gives infinities or NaN. For positive definite matrices
/// cho_solve(cholesky(a), b) takes half the operations.
/// Cost: 2/3 n^3 + 2 n^2 k operations for each matrix.
/// Throws T007 for other dtypes (solve_c1) and for two of them (solve_c2), T005 for matrices that are not
/// square (solve_c3) or a right side that does not fit (solve_c4), T004 for an unreduced sum.
Array solve(const Operand& a, const Operand& b);
/// jax.numpy.linalg.inv: the inverse of each matrix. a: [.., n, n] -> the same. Infinities or NaN for a
/// singular matrix. Throws T007, T005, T004 as solve.
Array inv(const Operand& a);
/// jax.numpy.linalg.det: a: [.., n, n] -> [..]. The derivative holds for all matrices with n <= 3. Larger
/// singular ones: if the first n - 1 columns are independent; otherwise it is zero, as in JAX.
/// Throws T007 (det_c1), T005 (det_c2), T004.
Array det(const Operand& a);

/// The result of slogdet: det = sign * exp(logabsdet).
struct SlogdetResult {
  Array sign, logabsdet;
};
/// jax.numpy.linalg.slogdet. a: [.., n, n] -> sign: [..] of a's dtype, logabsdet: [..], real. A singular
/// matrix gives 0 and -inf. Throws T007 (slogdet_c1), T005 (slogdet_c2), T004.
SlogdetResult slogdet(const Operand& a);

}  // namespace tutti
