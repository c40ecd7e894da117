// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/linalg/factors.hpp"

#include "tutti/base/require.hpp"
#include "tutti/functions/linalg/right_sides.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/linalg/cholesky.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"

namespace tutti {

Array cholesky(const Operand& a, const CholeskyOptions& options) {
  return front_end("cholesky", a.where(), [&] {
    Array matrix = as_array(a);
    require_for_lapack(matrix.type(), "cholesky_c1");
    require_square(matrix.type(), "cholesky_c2");
    if (!options.symmetrize_input) {
      const Array l = apply_one(Cholesky{}, {matrix});
      return options.upper ? adjoint_matrices(l) : l;
    }
    const Array symmetric = (matrix + adjoint_matrices(matrix)) * 0.5;
    return apply_one(Cholesky{!options.upper}, {symmetric});
  });
}

Array cho_solve(const Operand& factor, const Operand& b, const ChoSolveOptions& options) {
  return front_end("cho_solve", factor.where(), [&] {
    const Array matrix = as_array(factor, {b});
    const MatrixEquation equation = equation_of(matrix, as_array(b, {factor}));
    TriangularSolve first{.is_lower = options.lower}, second = first;
    (options.lower ? second : first).form = MatrixForm::adjoint;
    const Array y = apply_one(first, {equation.a, equation.b});
    return equation.shaped(apply_one(second, {equation.a, y}));
  });
}

Array lu_solve(const LuResult& factors, const Operand& b) {
  return front_end("lu_solve", b.where(), [&] {
    const MatrixEquation equation = equation_of(factors.lu, as_array(b, {factors.lu}));
    const Shape rows = equation.a.shape().erased(Dim{equation.a.rank() - 1});
    const Array permutation = broadcast_to(factors.permutation, rows);
    return equation.shaped(solved_by_lu(equation.a, permutation, equation.b));
  });
}

}  // namespace tutti
