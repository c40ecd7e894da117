// SPDX-License-Identifier: Apache-2.0
// Solutions of equations that have too many rows, too few, or dependent ones; by svd.
#pragma once

#include <optional>

#include "tutti/ir/array.hpp"

namespace tutti {

/// Options of pinv and matrix_rank.
struct PinvOptions {
  std::optional<double> rtol =
      {};  // singular values up to rtol times the largest count as 0; none: see there
};
/// jax.numpy.linalg.pinv: the Moore-Penrose pseudo-inverse. a: [.., m, n] -> [.., n, m]. rtol is 10 max(m, n)
/// eps unless it is given. The derivative holds while the rank stays.
/// Throws T005 for fewer than two dims, T007 unless f32, f64 or complex, T004 for an unreduced sum.
/// Source: Golub, Pereyra, The differentiation of pseudo-inverses, 1973.
Array pinv(const Operand& a, const PinvOptions& options = {});
/// jax.numpy.linalg.matrix_rank: how many singular values do not count as 0. a: [.., m, n] -> i32 [..].
/// rtol is max(m, n) eps unless it is given. Throws as pinv.
Array matrix_rank(const Operand& a, const PinvOptions& options = {});

/// The result of lstsq.
struct LstsqResult {
  Array x, residuals, rank, s;
};
/// Options of lstsq.
struct LstsqOptions {
  std::optional<double> rcond = {};  // as PinvOptions::rtol; none: max(m, n) eps; negative: eps
};
/// jax.numpy.linalg.lstsq: the x for which |a x - b| is smallest; of several such x the shortest. a: [m, n],
/// b: [m] or [m, k] -> x: [n] or [n, k]; residuals, the squared |a x - b|: [1] or [k]; rank: i32 scalar;
/// s: the singular values of a. For more than one a use vmap. The derivative of x holds while the rank stays.
/// Throws T005 unless a has two dims (lstsq_c1), and b one or two with m rows (lstsq_c2), T007 for other
/// dtypes than f32, f64 and complex, or two of them, T004 for an unreduced sum.
LstsqResult lstsq(const Operand& a, const Operand& b, const LstsqOptions& options = {});

}  // namespace tutti
