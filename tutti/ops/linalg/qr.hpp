// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// a = q r: the columns of q are orthogonal and have length 1, r is zero below its diagonal, which is real.
/// Signs of the diagonal are LAPACK's. a: [.., m, n] of f32, f64 or complex -> q: [.., m, c] and
/// r: [.., c, n], where c = min(m, n). Full: c = m.
/// Cost: about 4 m n min(m, n) operations per matrix; the matrices are shared among workers.
/// Derivative: of the reduced factors. Infinities or NaN unless the first min(m, n) columns are independent.
/// Source: jax.lax.linalg.qr; LAPACK geqrf, orgqr and ungqr.
struct Qr {
  static constexpr std::string_view name = "qr";
  static constexpr About about{"Matrices as the product of orthogonal columns and an upper triangle.", "qr"};

  /// Reduced: q has min(m, n) columns, and r as many rows. Full: m of both.
  enum class Factors { reduced, full } factors;

  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"orthogonal columns are not linear"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  /// The derivative of the full factors.
  std::string_view refusal(Rule rule) const;
  bool operator==(const Qr&) const = default;
};
static_assert(complete<Qr>());

}  // namespace tutti::ops

namespace tutti {

/// The result of qr: a = q r.
struct QrResult {
  Array q, r;
};
/// Options of qr.
struct QrOptions {
  bool full_matrices = false;  // numpy's mode "complete": q: [.., m, m], r: [.., m, n]
};
/// jax.numpy.linalg.qr. a: [.., m, n] -> q: [.., m, k], r: [.., k, n], k = min(m, n).
/// There is no derivative of full matrices with m > n.
/// Throws T005 for fewer than two dims (qr_c1), T007 unless f32, f64 or complex (qr_c2), T004 for an
/// unreduced sum.
QrResult qr(const Operand& a, const QrOptions& options = {});

}  // namespace tutti
