// SPDX-License-Identifier: Apache-2.0
// Matrices in rules of ops: the last two dims are rows and columns.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/ir/array.hpp"

namespace tutti {

/// [.., m, n] -> [.., n, m], conjugated.
Array adjoint_of(const Array& x);
/// The real part, in the dtype of x.
Array real_part(const Array& x);

/// Which elements of a matrix are kept; zeros stand elsewhere.
enum class Kept { below_diagonal, diagonal, diagonal_and_above };
Array kept_of(const Array& x, Kept kept);
/// [.., n, n] -> [.., n].
Array diagonal_of(const Array& x);

/// [.., n] -> [.., rows, n]: element i, j is x[j].
Array as_rows(const Array& x, std::int64_t rows);
/// [.., n] -> [.., n, columns]: element i, j is x[i].
Array as_columns(const Array& x, std::int64_t columns);
/// 1 / x off the diagonal of square matrices, 0 on it.
Array inverse_off_diagonal(const Array& x);

/// The dims before the last two, then these.
Shape with_last_dims(const Shape& shape, const std::vector<std::int64_t>& last);
/// The number of matrices, their rows and columns.
struct Matrices {
  std::int64_t count, rows, columns;
  explicit Matrices(const Shape& shape);
};
/// Throws T005 for fewer than two dims, T007 unless f32, f64 or complex: "eigh_c1", "eigh_c2".
void require_matrices(Type x, std::string_view rank_label, std::string_view dtype_label);
/// f32 for complex64, f64 for complex128; a real dtype itself.
DType real_dtype_of(DType dtype);

}  // namespace tutti
