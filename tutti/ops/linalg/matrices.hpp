// SPDX-License-Identifier: Apache-2.0
// Shared code of the ops of linear algebra: the last two dims of an array are matrices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "tutti/base/inside.hpp"
#include "tutti/ir/rules.hpp"
#include "tutti/tensor/linalg/lapack.hpp"

namespace tutti::ops {

/// An array as matrices: `count` of them, rows x columns each.
struct Matrices {
  std::int64_t count, rows, columns;

  std::int64_t elements() const { return rows * columns; }
  std::int64_t all_elements() const { return count * elements(); }
};
Matrices matrices_of(Type x);

/// Throws T005 unless x has two dims or more.
void require_matrices(Type x, std::string_view label);
/// Throws T005 unless x has two dims or more, and the last two are equal.
void require_square(Type x, std::string_view label);
/// Throws T007 unless LAPACK computes with the dtype: f32, f64, complex64, complex128.
void require_for_lapack(Type x, std::string_view label);
/// "cholesky of f32[512,512]": what LapackUser says.
std::string work_of(std::string_view op, Type x);

/// Calls f(std::type_identity<T>()) with the element type of f32, f64, complex64 or complex128.
template <class F>
void with_lapack_element(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32: return f(std::type_identity<float>());
    case DType::f64: return f(std::type_identity<double>());
    case DType::complex64: return f(std::type_identity<std::complex<float>>());
    default: return f(std::type_identity<std::complex<double>>());
  }
}

/// Estimate for `operations` additions and as many multiplications of real numbers by LAPACK on one core.
double lapack_nanoseconds(DType dtype, double operations);

/// The same op on operands that all have lanes in dim 0, or none of them: dims in front are more matrices.
BatchedArrays batch_of_matrices(const Op& op, const Axis& axis, const BatchedArrays& operands);

/// The number of the row of each element, and of the column: i32, of the shape of x.
Array row_numbers(const Array& x);
Array column_numbers(const Array& x);
/// The matrices transposed.
Array transposed_matrices(const Array& x);
/// The matrices transposed and conjugated.
Array adjoint_matrices(const Array& x);
/// x with zeros above (lower) or below (upper) diagonal k.
Array triangle_of(const Array& x, Triangle triangle, int k);
/// The lower triangle of x, the real part of its diagonal halved: half of the Hermitian matrix with that
/// triangle.
Array halved_lower(const Array& x);
/// Matrices of this type, [.., m, n], with ones on the diagonal.
Array identity_of(Type type);
/// x: [.., m, n], rows: i32 [.., k] -> [.., k, n]: row rows[i] of each matrix at i.
Array permuted_rows(const Array& x, const Array& rows);

}  // namespace tutti::ops
