// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// How a matrix enters an equation.
enum class MatrixForm { as_is, transposed, adjoint };

/// The x of form(a) x = b (left), or of x form(a) = b (right), where a is a triangle.
/// Reads one triangle of a; with `has_unit_diagonal` not its diagonal, which counts as ones. A zero on the
/// diagonal gives infinities and NaN.
/// Linear in b: U along an axis where a is R gives U.
/// a: [.., n, n] of f32, f64, complex64 or complex128, b: [.., n, k] (left) or [.., k, n] (right) of the same
/// dtype -> as b.
/// Cost: n^2 k operations by BLAS's trsm for each matrix.
/// Source: StableHLO triangular_solve; jax.lax.linalg.triangular_solve.
struct TriangularSolve {
  static constexpr std::string_view name = "triangular_solve";
  static constexpr About about{"Solves equations whose matrix is a triangle.", "triangular_solve"};

  bool is_left = true, is_lower = true, has_unit_diagonal = false;
  MatrixForm form = MatrixForm::as_is;

  Mixing mixing() const { return Mixing::bilinear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const TriangularSolve&) const = default;
};
static_assert(complete<TriangularSolve>());

}  // namespace tutti::ops

namespace tutti {

/// Options of triangular_solve, with the defaults of jax.lax.linalg.
struct TriangularSolveOptions {
  bool left_side = false;      // a x = b; else x a = b
  bool lower = false;          // reads the lower triangle; else the upper one
  bool transpose_a = false;    // a^T in place of a
  bool conjugate_a = false;    // conj(a) in place of a
  bool unit_diagonal = false;  // ones in place of a's diagonal
};
/// jax.lax.linalg.triangular_solve: x of a x = b or x a = b, where a is a triangle. a: [.., n, n], b: [.., n,
/// k] on the left side, else [.., k, n], with the same dims in front -> as b.
/// Throws T007 for other dtypes than f32, f64, complex64, complex128 (triangular_solve_c1) or two of them
/// (triangular_solve_c2), T005 if a is not square (triangular_solve_c3) or b does not fit
/// (triangular_solve_c4), T004 if a is an unreduced sum.
Array triangular_solve(const Operand& a, const Operand& b, const TriangularSolveOptions& options = {});

}  // namespace tutti
