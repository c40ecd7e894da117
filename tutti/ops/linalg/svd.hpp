// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// Singular values, descending, and singular vectors: a = u diag(s) vh, where u and vh are orthogonal or
/// unitary. Signs or phases of the vectors are LAPACK's. NaN where a matrix has NaN or infinity, or LAPACK
/// does not converge.
/// a: [.., m, n] of f32, f64 or complex -> u: [.., m, c], s: [.., k], real, and vh: [.., d, n], where
/// k = min(m, n). Reduced: c = d = k. Full: c = m, d = n. Values: s alone.
/// Cost: about 20 m n k operations per matrix; the matrices are shared among workers.
/// Derivative: of distinct singular values, and of reduced vectors; equal ones give infinities or NaN.
/// Source: jax.lax.linalg.svd; LAPACK gesdd.
struct Svd {
  static constexpr std::string_view name = "svd";
  static constexpr About about{"Singular values, descending, and singular vectors of matrices.",
                               "svd, svdvals"};

  /// The factors that it computes.
  enum class Factors { values, reduced, full } factors;

  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"singular values and vectors are not linear"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  static constexpr Refused lower{
      "StableHLO has no singular values. XLA's devices run qr and eigh: least squares "
      "are triangular_solve of qr, principal axes eigh of a covariance"};
  static std::vector<Example> examples();

  /// The derivative of the full factors: no rule says how the vectors beyond the singular values move.
  std::string_view refusal(Rule rule) const;
  bool operator==(const Svd&) const = default;
};
static_assert(complete<Svd>());

}  // namespace tutti::ops

namespace tutti {

/// The result of svd: x = u diag(s) vh.
struct SvdResult {
  Array u, s, vh;
};
/// Options of svd.
struct SvdOptions {
  bool full_matrices =
      true;  // u: [.., m, m], vh: [.., n, n]; false: [.., m, k] and [.., k, n], k = min(m, n)
};
/// jax.numpy.linalg.svd. It differs in nothing; of full matrices that are not square there is no derivative.
/// Throws T005 for fewer than two dims (svd_c1), T007 unless f32, f64 or complex (svd_c2), T004 for an
/// unreduced sum.
SvdResult svd(const Operand& x, const SvdOptions& options = {});
/// jax.numpy.linalg.svdvals: the singular values alone, descending: [.., m, n] -> [.., min(m, n)].
/// Throws as svd.
Array svdvals(const Operand& x);

}  // namespace tutti
