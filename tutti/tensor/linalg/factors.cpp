// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/linalg/factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti {
namespace {

std::int64_t product(int a, int b) { return std::int64_t{a} * b; }

template <class T>
bool is_finite(const T* x, std::int64_t count) {
  return std::all_of(x, x + count,
                     [](T z) { return std::isfinite(std::real(z)) && std::isfinite(std::imag(z)); });
}

template <class T>
void fill_with_nan(T* x, std::int64_t count) {
  std::fill_n(x, count, T(std::numeric_limits<Real<T>>::quiet_NaN()));
}

/// The upper triangle of a column-major matrix of `stride` rows: `rows` rows of n elements, row-major, with
/// zeros below the diagonal.
template <class T>
void copy_upper(T* r, const T* a, int rows, int n, int stride) {
  constexpr int side = 16;  // as transpose_matrix
  std::fill_n(r, product(rows, n), T{});
  for (int i0 = 0; i0 < rows; i0 += side)
    for (int j0 = i0; j0 < n; j0 += side)
      for (int i = i0; i < std::min(i0 + side, rows); ++i)
        for (int j = std::max(j0, i); j < std::min(j0 + side, n); ++j)
          r[product(i, n) + j] = a[product(j, stride) + i];
}

}  // namespace

template <class T>
QrOfMatrix<T>::QrOfMatrix(int m, int n, Vectors vectors)
    : m_(m), n_(n), columns_(vectors == Vectors::complete ? m : std::min(m, n)) {
  const Lapack<T> lapack;
  space_ = lapack.geqrf_workspace(m, n);
  const LapackWorkspace of_q = lapack.orgqr_workspace(m, columns_, std::min(m, n));
  space_.elements = std::max(space_.elements, of_q.elements);
}

template <class T>
std::size_t QrOfMatrix<T>::scratch_bytes() const {
  return LapackWorkspace::in_lines<T>(product(m_, std::max(n_, columns_))) +
         LapackWorkspace::in_lines<T>(std::min(m_, n_)) + space_.bytes<T>();
}

// In scratch: the matrix, column-major, then tau, then LAPACK's.
template <class T>
void QrOfMatrix<T>::operator()(T* q, T* r, const T* a, std::byte* scratch) const {
  T* columns = reinterpret_cast<T*>(scratch);
  scratch += LapackWorkspace::in_lines<T>(product(m_, std::max(n_, columns_)));
  T* tau = reinterpret_cast<T*>(scratch);
  scratch += LapackWorkspace::in_lines<T>(std::min(m_, n_));
  transpose_matrix(columns, a, m_, n_);
  const Lapack<T> lapack;
  lapack.geqrf(m_, n_, columns, tau, space_, scratch);
  copy_upper(r, columns, columns_, n_, m_);
  lapack.orgqr(m_, columns_, std::min(m_, n_), columns, tau, space_, scratch);
  transpose_matrix(q, columns, columns_, m_);
}

template <class T>
EighOfMatrix<T>::EighOfMatrix(int n) : n_(n), space_(Lapack<T>().syevd_workspace(Vectors::reduced, n)) {}

template <class T>
std::size_t EighOfMatrix<T>::scratch_bytes() const {
  return LapackWorkspace::in_lines<T>(product(n_, n_)) + space_.bytes<T>();
}

// The row-major lower triangle is the column-major upper one of the conjugated matrix, whose vectors are
// conjugated.
template <class T>
void EighOfMatrix<T>::operator()(Real<T>* w, T* v, const T* a, std::byte* scratch) const {
  T* vectors = reinterpret_cast<T*>(scratch);
  const std::int64_t elements = product(n_, n_);
  std::copy_n(a, elements, vectors);
  bool is_known = true;
  for (int i = 0; i < n_; ++i) is_known = is_known && is_finite(a + product(i, n_), i + 1);
  is_known = is_known && Lapack<T>().syevd(Vectors::reduced, Triangle::upper, n_, vectors, w, space_,
                                           scratch + LapackWorkspace::in_lines<T>(elements)) == 0;
  if (!is_known) {
    fill_with_nan(w, n_);
    return fill_with_nan(v, elements);
  }
  transpose_matrix(v, vectors, n_, n_);
  if constexpr (is_complex_element<T>) std::transform(v, v + elements, v, [](T z) { return std::conj(z); });
}

template <class T>
SvdOfMatrix<T>::SvdOfMatrix(int m, int n, Vectors vectors)
    : m_(m), n_(n), vectors_(vectors), space_(Lapack<T>().gesdd_workspace(vectors, n, m)) {}

template <class T>
std::size_t SvdOfMatrix<T>::scratch_bytes() const {
  return LapackWorkspace::in_lines<T>(product(m_, n_)) + space_.bytes<T>();
}

// The row-major matrix is its transpose, column-major: there u and vh are each other's, transposed.
template <class T>
void SvdOfMatrix<T>::operator()(T* u, Real<T>* s, T* vh, const T* a, std::byte* scratch) const {
  T* copy = reinterpret_cast<T*>(scratch);
  const std::int64_t elements = product(m_, n_);
  std::copy_n(a, elements, copy);
  if (is_finite(a, elements) && Lapack<T>().gesdd(vectors_, n_, m_, copy, s, vh, u, space_,
                                                  scratch + LapackWorkspace::in_lines<T>(elements)) == 0)
    return;
  const int least = std::min(m_, n_);
  fill_with_nan(s, least);
  if (vectors_ == Vectors::none) return;
  const bool is_complete = vectors_ == Vectors::complete;
  fill_with_nan(u, product(m_, is_complete ? m_ : least));
  fill_with_nan(vh, product(is_complete ? n_ : least, n_));
}

template class QrOfMatrix<float>;
template class QrOfMatrix<double>;
template class QrOfMatrix<std::complex<float>>;
template class QrOfMatrix<std::complex<double>>;
template class EighOfMatrix<float>;
template class EighOfMatrix<double>;
template class EighOfMatrix<std::complex<float>>;
template class EighOfMatrix<std::complex<double>>;
template class SvdOfMatrix<float>;
template class SvdOfMatrix<double>;
template class SvdOfMatrix<std::complex<float>>;
template class SvdOfMatrix<std::complex<double>>;

}  // namespace tutti
