// SPDX-License-Identifier: Apache-2.0
// The twins of jax_linalg.py.
#include "tests/support/functions.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const P everywhere, by_x("x");

Array over_devices(const Array& x) { return psum(reduce_sum(x), "x"); }
Array matrix_transposed(const Array& x) { return swapaxes(x, -1, -2); }
/// A matrix whose inverse is small.
Array dominated(const Array& x) { return 0.5 * x + 2.0 * eye(4, DType::f64); }
Array positive(const Array& x) { return 0.25 * matmul(x, matrix_transposed(x)) + eye(4, DType::f64); }

Array cholesky_factors(const Arrays& a) {
  const Array &x = a[0], &b = a[1], matrix = positive(x);
  const Array l = cholesky(matrix), u = cholesky(matrix + 0.1 * x, {.upper = true});
  const Array solved = cho_solve(l, b) + cho_solve(u, b, {.lower = false});
  const Array stack2 = cholesky(stack({matrix, 2.0 * matrix}));
  return over_devices(sin(l) * x + u * u) + over_devices(solved * b) + over_devices(stack2 * x);
}

Array triangles_solved(const Arrays& a) {
  const Array &x = a[0], &b = a[1], matrix = dominated(x);
  const Array left = triangular_solve(matrix, b, {.left_side = true, .lower = true});
  const Array other =
      triangular_solve(matrix, b, {.left_side = true, .transpose_a = true, .unit_diagonal = true});
  const Array right = triangular_solve(matrix, matrix_transposed(b), {.transpose_a = true});
  const Array matrices = stack({matrix, 2.0 * matrix});
  const Array stacked = triangular_solve(matrices, stack({b, b * b}), {.left_side = true, .lower = true});
  return over_devices(left * b + other * other) + over_devices(right) + over_devices(stacked);
}

Array equations_solved(const Arrays& a) {
  const Array &x = a[0], &b = a[1], matrix = dominated(x);
  const Array vector = solve(matrix, index_in_dim(b, 0, 1)), columns = solve(matrix, b);
  const Array stacked = solve(stack({matrix, matrix_transposed(matrix)}), b);
  const Array by_factors = lu_solve(lu(matrix), b);
  return over_devices(vector * vector) + over_devices(columns * b + by_factors) +
         over_devices(inv(matrix) * x) + over_devices(stacked);
}

Array determinants(const Arrays& a) {
  const Array &x = a[0], &b = a[1], matrix = dominated(x);
  const SlogdetResult found = slogdet(stack({matrix, -matrix}));
  const Array rows = slice_in_dim(x, 0, 3), last = reduce_sum(rows, 0);
  const Array singular = concatenate({rows, reshape(last, {1, 4})});
  const Array small = slice_in_dim(slice_in_dim(matrix, 0, 2), 0, 2, 1, 1);
  return over_devices(det(matrix) * b) + over_devices(found.logabsdet + found.sign) +
         over_devices(det(small)) + over_devices(0.1 * det(singular) + det(stack({matrix, 0.5 * matrix})));
}

Array lu_factors(const Arrays& a) {
  const Array &x = a[0], &b = a[1], matrix = dominated(x), turned = roll(matrix, 1, 0);
  const LuResult found = lu(turned);
  const Array tall = lu(slice_in_dim(turned, 0, 3, 1, 1)).lu, wide = lu(slice_in_dim(matrix, 0, 3)).lu;
  const Array places = convert(found.permutation, DType::f64) * index_in_dim(b, 0, 1);
  return over_devices(sin(found.lu) * x) + over_devices(tall * b) + over_devices(wide * wide) +
         over_devices(places);
}

}  // namespace

std::vector<Function> linalg_functions() {
  std::vector<Function> functions;
  auto add = [&](const char* name, Array (*body)(const Arrays&)) {
    functions.push_back({name, {by_x, everywhere}, {{16, 4}, {4, 3}}, body});
  };
  add("cholesky_factors", cholesky_factors);
  add("triangles_solved", triangles_solved);
  add("equations_solved", equations_solved);
  add("determinants", determinants);
  add("lu_factors", lu_factors);
  return functions;
}

}  // namespace tutti
