// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// Eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices: a v = v diag(w), where v is
/// orthogonal or unitary. Reads the lower triangles and the real parts of the diagonals. Signs or phases of
/// the vectors are LAPACK's; on XLA's devices they are others. NaN where a matrix has NaN or infinity, or
/// LAPACK does not converge.
/// a: [.., n, n] of f32, f64 or complex -> w: [.., n], real, and v: [.., n, n], one vector per column.
/// Cost: about 9 n^3 operations per matrix; the matrices are shared among workers.
/// Derivative: of distinct eigenvalues; equal ones give infinities or NaN.
/// Source: jax.lax.linalg.eigh; LAPACK syevd and heevd.
struct Eigh {
  static constexpr std::string_view name = "eigh";
  static constexpr About about{"Eigenvalues, ascending, and eigenvectors of Hermitian matrices, by their "
                               "lower triangles.",
                               "eigh, eigvalsh"};

  Mixing mixing() const { return Mixing::alike; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"eigenvalues and eigenvectors are not linear"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Eigh&) const = default;
};
static_assert(complete<Eigh>());

}  // namespace tutti::ops

namespace tutti {

/// The result of eigh: the eigenvalues, ascending and real, and one eigenvector per column.
struct EighResult {
  Array eigenvalues, eigenvectors;
};
/// Options of eigh and eigvalsh.
struct EighOptions {
  bool symmetrize = true;  // decomposes (a + a^H) / 2; false: reads the lower triangle only
};
/// jax.numpy.linalg.eigh: a: [.., n, n] -> w: [.., n] and v: [.., n, n]. It differs from NumPy's as JAX's
/// does: a matrix that is not symmetric is symmetrized.
/// Throws T005 unless the last two dims are equal (eigh_c1, eigh_c3), T007 unless f32, f64 or complex
/// (eigh_c2), T004 for an unreduced sum.
EighResult eigh(const Operand& a, const EighOptions& options = {});
/// jax.numpy.linalg.eigvalsh: the eigenvalues alone. Cost: that of eigh. Throws as eigh.
Array eigvalsh(const Operand& a, const EighOptions& options = {});

}  // namespace tutti
