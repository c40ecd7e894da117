// SPDX-License-Identifier: Apache-2.0
// Functions of square matrices, made of products and solutions.
#pragma once

#include <cstdint>

#include "tutti/ir/array.hpp"

namespace tutti {

/// numpy.linalg.matrix_power: the product of n factors a; of n = 0 the identity, of n < 0 the power -n of
/// inv(a). a: [.., d, d] -> the same.
/// Cost: at most 2 log2(n) products.
/// Throws T005 unless the last two dims are equal, T007 for bool, and for n < 0 where inv does; T004 for an
/// unreduced sum.
Array matrix_power(const Operand& a, std::int64_t n);

/// jax.scipy.linalg.expm: the exponential of a matrix, the sum of a^n / n!. a: [.., d, d] of f32, f64 or
/// complex numbers -> the same. NaN where the norm is so large that 17 squarings do not reach it: above
/// 5e5 in f32 and complex64, 7e5 in f64 and complex128, as in JAX.
/// Cost: 5 products in f32 and complex64, 7 in f64 and complex128, one solution, and a product for each
/// factor of two by which the norm exceeds 3.9 or 5.3.
/// Throws T005 unless the last two dims are equal, T007 for other dtypes, T004 for an unreduced sum.
/// Source: Higham, The scaling and squaring method for the matrix exponential revisited, 2005.
Array expm(const Operand& a);

}  // namespace tutti
