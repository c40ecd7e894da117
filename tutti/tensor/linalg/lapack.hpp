// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tutti/base/in_lines.hpp"
#include "tutti/tensor/linalg/lapack_library.hpp"
#include "tutti/tensor/products/blas.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// The half of a column-major matrix that is read or written. In row-major words it is the other one.
enum class Triangle { lower, upper };
/// On which side of the unknown the matrix stands.
enum class MatrixSide { left, right };
/// How a matrix enters an equation.
enum class Form { as_is, transposed, adjoint };
enum class Diagonal { stored, ones };
/// Which singular vectors are computed: none, as many as there are singular values, or square matrices.
enum class Vectors { none, reduced, complete };

/// Elements of the arrays that a routine works in: `elements` of T, `reals` of its parts, `integers` of i32.
struct LapackWorkspace {
  int elements = 0, reals = 0, integers = 0;

  /// Each array begins at a multiple of 64 bytes.
  template <class T>
  std::size_t bytes() const {
    return in_lines<T>(elements) + in_lines<Real<T>>(reals) + in_lines<int>(integers);
  }
  template <class T>
  static std::size_t in_lines(std::int64_t count) {
    return tutti::in_lines(static_cast<std::size_t>(count) * sizeof(T));
  }
};

/// A user of LAPACK: a compiled op. Prepares the library for the callers that are expected (blas.hpp).
/// Throws R004 without an OpenBLAS that has LAPACK, R003 without memory for it, T005 for a size that LAPACK
/// cannot count: above 2^31 - 1. `work` says what is computed: "cholesky of f32[512,512]".
class LapackUser {
 public:
  LapackUser(std::string_view work, std::int64_t largest_size);

 private:
  BlasUser user_;
};

/// Whether LAPACK computes with these: f32, f64, complex64, complex128.
bool is_for_lapack(DType dtype);

/// LAPACK for the calling thread, which is inside the library meanwhile (InsideBlas). T: float, double or
/// complex. Needs a LapackUser.
/// Matrices are column-major and dense: column j of m rows begins at j * m. Sizes are 1 or more.
template <class T>
class Lapack {
 public:
  Lapack() : functions_(load_lapack_library().of<T>()) {}

  /// a = l l^H or u^H u, n x n: overwrites one triangle and leaves the other. Returns 0, or the order of the
  /// first leading minor that is not positive.
  int potrf(Triangle triangle, int n, T* a) const;
  /// b = the x, m x n, of form(a) x = b (left, a is m x m) or x form(a) = b (right, a is n x n).
  void trsm(MatrixSide side, Triangle triangle, Form form, Diagonal diagonal, int m, int n, const T* a,
            T* b) const;
  /// a = p l u, m x n: overwrites a with both factors. Row i was swapped with row pivots[i] - 1, i < min(m,
  /// n), one after the other. Returns 0, or i if u[i-1, i-1] is exactly zero.
  int getrf(int m, int n, T* a, int* pivots) const;

  /// a = q r, m x n: r in the upper triangle, below it and in tau (min(m, n)) the reflectors of q.
  void geqrf(int m, int n, T* a, T* tau, const LapackWorkspace& space, std::byte* scratch) const;
  LapackWorkspace geqrf_workspace(int m, int n) const;
  /// a, m x n: the first n columns of the q of k <= n <= m reflectors, which a and tau hold.
  void orgqr(int m, int n, int k, T* a, const T* tau, const LapackWorkspace& space, std::byte* scratch) const;
  LapackWorkspace orgqr_workspace(int m, int n, int k) const;

  /// Computes the eigenvalues w, ascending, of a symmetric or Hermitian a, n x n; reads one triangle of a.
  /// Overwrites a with the vectors, one per column, if `vectors` is not none. Returns 0, or more if it does
  /// not converge.
  int syevd(Vectors vectors, Triangle triangle, int n, T* a, Real<T>* w, const LapackWorkspace& space,
            std::byte* scratch) const;
  LapackWorkspace syevd_workspace(Vectors vectors, int n) const;
  /// a = u diag(s) vt, m x n; k = min(m, n) singular values, descending. Destroys a. Reduced: u is m x k, vt
  /// k x n. Complete: m x m, n x n. None: u and vt are not touched. Returns 0, or else if it does not
  /// converge or a has a NaN.
  int gesdd(Vectors vectors, int m, int n, T* a, Real<T>* s, T* u, T* vt, const LapackWorkspace& space,
            std::byte* scratch) const;
  LapackWorkspace gesdd_workspace(Vectors vectors, int m, int n) const;

 private:
  InsideBlas inside_;
  const LapackFunctions<T>& functions_;
};

extern template class Lapack<float>;
extern template class Lapack<double>;
extern template class Lapack<std::complex<float>>;
extern template class Lapack<std::complex<double>>;

/// to = from transposed: from is rows x columns, row-major. Either may be seen as the column-major matrix of
/// the other.
template <class T>
void transpose_matrix(T* to, const T* from, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t side = 16;  // of a block: a cache line of f32
  for (std::int64_t i0 = 0; i0 < rows; i0 += side)
    for (std::int64_t j0 = 0; j0 < columns; j0 += side)
      for (std::int64_t i = i0; i < rows && i < i0 + side; ++i)
        for (std::int64_t j = j0; j < columns && j < j0 + side; ++j) to[j * rows + i] = from[i * columns + j];
}

}  // namespace tutti
