// SPDX-License-Identifier: Apache-2.0
// Shared code of eigh, lu, svd and qr: parts of matrices, and values that belong to their rows or columns.
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/ir/array.hpp"

namespace tutti::ops {

/// The real part, in the dtype of x.
Array real_part(const Array& x);
/// The real part, in f32 or f64; x itself if it is real.
Array as_real(const Array& x);
/// The conjugate; x itself if it is real.
Array conjugate(const Array& x);
/// |x|; |real| + |imag| of complex numbers, as LAPACK compares them.
Array one_norms(const Array& x);
/// For each matrix the largest absolute value of a real or imaginary part, or 1 if there are only zeros:
/// real, [.., 1, 1]. Elements divided by it have squares that do not overflow.
Array scale_of(const Array& x);
/// x / scale, part by part. scale: real.
Array divided_by_scale(const Array& x, const Array& scale);
/// The matrices with zeros off the diagonal.
Array diagonal_part(const Array& x);
/// [.., n, n] -> [.., n].
Array diagonal_of(const Array& x);

/// The Hermitian matrices whose lower triangles and whose real parts of diagonals x has.
Array hermitian_of_lower(const Array& x);

/// [.., n] -> [.., rows, n]: element i, j is x[j].
Array as_rows(const Array& x, std::int64_t rows);
/// [.., n] -> [.., n, columns]: element i, j is x[i].
Array as_columns(const Array& x, std::int64_t columns);
/// 1 / x off the diagonal of square matrices, 0 on it.
Array inverse_off_diagonal(const Array& x);

/// The dims before the last two, then these.
Shape with_last_dims(const Shape& shape, const std::vector<std::int64_t>& last);
/// f32 for complex64, f64 for complex128; a real dtype itself.
DType real_dtype_of(DType dtype);
/// The distance from 1 to the next number of f32 or f64, and of the parts of complex numbers.
double epsilon_of(DType dtype);

}  // namespace tutti::ops
