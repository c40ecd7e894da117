// SPDX-License-Identifier: Apache-2.0
// The twins of jax_spectral.py. Signs and phases of vectors are free, so that each function is one in which
// they cancel. Columns have sizes of their own, so that no two values are near each other.
#include "tests/support/functions.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

Array over_devices(const Array& x) { return psum(reduce_sum(x), "x"); }
Array counted(const Shape& shape) { return 1.0 + reshape(arange(shape.elements(), DType::f64), shape) / 8.0; }

/// [8, 3], with columns of lengths near 1, 3 and 6.
Array tall(const Arrays& a) {
  const Array waves = sin(counted({8, 3}) * 5.0) + 0.1 * a[0] * a[1];
  return waves * constant(Tensor(Shape{3}, std::vector<double>{0.5, 1.5, 3}));
}
/// The same, complex.
Array complex_tall(const Arrays& a) { return complex(tall(a), 0.5 * cos(counted({8, 3}) * 3.0) * a[1]); }
Array adjoint(const Array& x) {
  const Array swapped = swapaxes(x, -1, -2);
  return is_complex(x.dtype()) ? conj(swapped) : swapped;
}
/// The real and the imaginary part, weighed differently.
Array both_parts(const Array& x) { return is_complex(x.dtype()) ? real(x) * 0.75 + imag(x) : x; }

Array of_eigh(const Array& x) {
  const auto [w, v] = eigh(matmul(adjoint(x), x) / 4);
  const Array of_w = sin(w) * counted({3});
  const Array middle = slice_in_dim(v, 1, 2, 1, -1);  // the projection on one vector
  return over_devices(of_w) + over_devices(both_parts(matmul(middle, adjoint(middle))) * counted({3, 3}));
}
Array eigenvalues_and_projections(const Arrays& a) { return of_eigh(tall(a)); }
Array complex_eigenvalues_and_projections(const Arrays& a) { return of_eigh(complex_tall(a)); }

Array of_svd(const Array& x, const Array& weights) {
  const auto [u, s, vh] = svd(x, {.full_matrices = false});
  const Array pair = matmul(slice_in_dim(u, 1, 2, 1, -1), slice_in_dim(vh, 1, 2, 1, -2));
  return over_devices(log(s) * counted({3})) + over_devices(both_parts(pair) * weights) +
         over_devices(svdvals(x) * 0.25);
}
Array singular_values_and_pairs(const Arrays& a) {
  const Array x = tall(a);
  return of_svd(x, counted({8, 3})) + of_svd(swapaxes(x, 0, 1), counted({3, 8}));
}
Array complex_singular_values_and_pairs(const Arrays& a) {
  const Array x = complex_tall(a);
  return of_svd(x, counted({8, 3})) + of_svd(adjoint(x), counted({3, 8}));
}

Array squares(const Array& x) { return is_complex(x.dtype()) ? real(x * conj(x)) : x * x; }
Array of_qr(const Array& x) {
  const auto [q, r] = qr(x);
  const Array some = slice_in_dim(q, 0, 2, 1, -1), projection = both_parts(matmul(some, adjoint(some)));
  return over_devices(projection * counted(projection.shape())) +
         over_devices(squares(r) * counted(r.shape()) / 16);
}
Array orthogonal_factors(const Arrays& a) { return of_qr(tall(a)) + of_qr(swapaxes(tall(a), 0, 1)) / 8; }
Array complex_orthogonal_factors(const Arrays& a) {
  return of_qr(complex_tall(a)) + of_qr(adjoint(complex_tall(a))) / 8;
}

Array least_squares(const Arrays& a) {
  const Array x = tall(a), inverses = both_parts(pinv(complex_tall(a))) * counted({3, 8});
  const auto [solution, residuals, rank, s] = lstsq(x, sin(counted({8, 2})) * a[0][{all, range(0, 2)}]);
  const Array of_s = log(s) * convert(rank, DType::f64);
  const Array total = over_devices(inverses) + over_devices(solution * counted({3, 2})) +
                      over_devices(residuals) + over_devices(of_s) + over_devices(pinv(swapaxes(x, 0, 1)));
  return total / 8;
}

Array functions_of_matrices(const Arrays& a) {
  const Array x = tall(a), square = matmul(swapaxes(x, 0, 1), x) / 12.0;
  const Array skew = x[range(0, 3)] - swapaxes(x[range(0, 3)], 0, 1);  // its exponential is a rotation
  const Array turned = both_parts(expm(complex(3.0 * skew, 0.5 * square)));
  const Array total = over_devices(expm(square) * 0.1) + over_devices(expm(3.0 * skew) * counted({3, 3})) +
                      over_devices(turned) + over_devices(matrix_power(square, 3)) +
                      over_devices(matrix_power(square + 2.0 * eye(3, DType::f64), -2));
  return total / 8;
}

}  // namespace

std::vector<Function> spectral_functions() {
  std::vector<Function> functions;
  auto add = [&](const char* name, Array (*body)(const Arrays&)) {
    functions.push_back({name, {P("x"), P()}, {{32, 3}, {3}}, body});
  };
  add("eigenvalues_and_projections", eigenvalues_and_projections);
  add("complex_eigenvalues_and_projections", complex_eigenvalues_and_projections);
  add("singular_values_and_pairs", singular_values_and_pairs);
  add("complex_singular_values_and_pairs", complex_singular_values_and_pairs);
  add("orthogonal_factors", orthogonal_factors);
  add("complex_orthogonal_factors", complex_orthogonal_factors);
  add("least_squares", least_squares);
  add("functions_of_matrices", functions_of_matrices);
  return functions;
}

}  // namespace tutti
