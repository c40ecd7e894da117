// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/linalg/right_sides.hpp"

#include <vector>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"
#include "tutti/ops/reshape.hpp"

namespace tutti {
namespace {

Shape before(const Shape& shape) { return Shape(std::vector(shape.begin(), shape.end() - 2)); }

/// The same matrices for each index of the dims in front.
Array with_dims_in_front(const Array& x, const Shape& front) {
  std::vector<std::int64_t> sizes = front.sizes();
  sizes.insert(sizes.end(), x.shape().end() - 2, x.shape().end());
  return broadcast_to(x, Shape(std::move(sizes)));
}

}  // namespace

MatrixEquation equation_of(const Array& a, const Array& b) {
  require_for_lapack(a.type(), "solve_c1");
  require(a.dtype() == b.dtype(), Code::dtype,
          "{} and {} have different dtypes (solve_c2); convert one of them", a.type(), b.type());
  require_square(a.type(), "solve_c3");
  require(b.rank() >= 1, Code::shape, "{} is a scalar; the right side is a vector or matrices (solve_c4)",
          b.type());
  const bool is_vector = b.rank() == 1;
  const std::int64_t n = a.shape()[a.rank() - 1];
  require(b.shape()[is_vector ? 0 : b.rank() - 2] == n, Code::shape,
          "{} has not {} rows, as many as {} (solve_c4){}", b.type(), n, a.type(),
          !is_vector && b.rank() + 1 == a.rank() ? "; for a vector per matrix give it a last dim of size 1"
                                                 : "");
  const Array columns = is_vector ? expand_dims(b, 1) : b;
  const Shape front = broadcast_shape(before(a.shape()), before(columns.shape()));
  const Array matrices = with_dims_in_front(a, front);
  return {matrices, with_dims_in_front(columns, front), is_vector};
}

Array MatrixEquation::shaped(const Array& x) const {
  return is_vector ? reshape(x, x.shape().erased(Dim{x.rank() - 1})) : x;
}

Array solved_by_lu(const Array& lu, const Array& permutation, const Array& b) {
  const Array moved = permuted_rows(b, permutation);
  const Array y = apply_one(TriangularSolve{.has_unit_diagonal = true}, {lu, moved});
  return apply_one(TriangularSolve{.is_lower = false}, {lu, y});
}

}  // namespace tutti
