// SPDX-License-Identifier: Apache-2.0
// Factors of matrices, and equations solved with them. The last two dims of an array are its matrices.
#pragma once

#include "tutti/ir/array.hpp"
#include "tutti/ops/linalg/lu.hpp"

namespace tutti {

/// Options of cholesky.
struct CholeskyOptions {
  bool upper = false;            // u of a = u^H u; else l of a = l l^H
  bool symmetrize_input = true;  // factors (a + a^H) / 2; else reads the lower triangle of a only
};
/// jax.numpy.linalg.cholesky: the triangular factor of symmetric or Hermitian positive definite matrices; its
/// other triangle is zero. NaN in the triangle for a matrix that is not positive definite.
/// a: [.., n, n] -> the same. Throws T007 for other dtypes than f32, f64, complex64, complex128
/// (cholesky_c1), T005 for others than square matrices (cholesky_c2), T004 for an unreduced sum.
Array cholesky(const Operand& a, const CholeskyOptions& options = {});

/// Options of cho_solve.
struct ChoSolveOptions {
  bool lower = true;  // the factor is l of a = l l^H; else u of a = u^H u
};
/// jax.scipy.linalg.cho_solve: the x of a x = b, given the factor of a by cholesky. b: [n], or [.., n, k]
/// with dims in front that broadcast with those of the factor.
/// Throws T005, T007, T004 as solve.
Array cho_solve(const Operand& factor, const Operand& b, const ChoSolveOptions& options = {});
/// jax.scipy.linalg.lu_solve: the x of a x = b, given the factors of a by lu. b: as for cho_solve.
Array lu_solve(const LuResult& factors, const Operand& b);

}  // namespace tutti
