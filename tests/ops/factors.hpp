// SPDX-License-Identifier: Apache-2.0
// Factors of matrices are tried by what they give together: signs and phases are not compared.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "tests/functions/made.hpp"
#include "tests/support/values.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

inline constexpr DType dtypes_of_lapack[] = {DType::f32, DType::f64, DType::complex64, DType::complex128};

/// Numbers without a pattern, of size 1, that are the same everywhere.
inline Tensor some_matrix(const Shape& shape, DType dtype, int seed = 0) {
  Tensor tensor(shape, dtype);
  const Tensor parts = in_parts(tensor);
  Tensor filled(parts.shape(), parts.dtype());
  for (std::int64_t i = 0; i < parts.elements(); ++i)
    put_element(filled, i, std::sin(static_cast<double>(i * i) * 0.7 + static_cast<double>(i + seed)));
  return out_of_parts(filled, tensor);
}

inline Array adjoint(const Array& x) {
  const Array swapped = swapaxes(x, -1, -2);
  return is_complex(x.dtype()) ? conj(swapped) : swapped;
}

/// The largest |a - b|, as a scalar; 0 of no elements.
inline Array distance(const Array& a, const Array& b) {
  return a.type().elements() == 0 ? zeros({}, DType::f32) : amax(abs(a - b));
}
/// How far the columns of x are from being orthogonal and of length 1.
inline Array distance_from_unitary(const Array& x) {
  const Array product = matmul(adjoint(x), x);
  return distance(product, broadcast_to(eye(x.dim(-1), x.dtype()), product.shape()));
}

/// A power of two whose square overflows; 1 / it has a square that is zero.
inline double large(DType dtype) {
  return std::ldexp(1.0, epsilon(dtype) == epsilon(DType::f32) ? 100 : 800);
}

/// q diag(values) q^H of an orthogonal q: equal values stand anywhere.
inline Array with_eigenvalues(const Array& x, const Array& values) {
  const Array q = qr(x).q;
  return matmul(q * values, adjoint(q));
}

/// Three distances for a Hermitian matrix: v from unitary, a v from v w as a share of `size`, and w from
/// ascending.
inline Arrays distances_of_eigh(const Array& a, double size = 1) {
  const auto [w, v] = eigh(a, {.symmetrize = false});
  const Array back = v * convert(expand_dims(w / size, -2), v.dtype());
  return {distance_from_unitary(v), distance(matmul(a / size, v), back), distance(w, sort(w))};
}

/// Each number that `function` makes is at most 64 roundings of numbers of the size of `x`'s rows.
inline void expect_small(const Tensor& x, const std::function<Arrays(const Arrays&)>& function) {
  double bound = 64 * epsilon(x.dtype());
  for (const std::int64_t size : x.shape()) bound *= static_cast<double>(std::max<std::int64_t>(1, size));
  const Tensors found = all_made({x}, function);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_LE(found[i].at(0), bound) << "number " << i << " of " << name(x.dtype()) << "["
                                     << to_string(x.shape()) << "]";
}

}  // namespace tutti
