// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/tensor/linalg/lapack.hpp"

namespace tutti {

// Factors of one row-major matrix by LAPACK, with sizes of 1 or more. The calling thread alone computes; a
// LapackUser must live. `scratch` has scratch_bytes() and starts at 64 bytes.

/// a = q r, a: m x n. q is m x c and r is c x n, where c = min(m, n), or m where `complete`.
template <class T>
class QrOfMatrix {
 public:
  QrOfMatrix(int m, int n, Vectors vectors);
  std::size_t scratch_bytes() const;
  void operator()(T* q, T* r, const T* a, std::byte* scratch) const;

 private:
  int m_, n_, columns_;
  LapackWorkspace space_;
};

/// a v = v diag(w), a: n x n, Hermitian; only its lower triangle is read. w is ascending; v has a vector per
/// column. NaN everywhere if that triangle has a NaN or infinity, or LAPACK does not converge.
template <class T>
class EighOfMatrix {
 public:
  explicit EighOfMatrix(int n);
  std::size_t scratch_bytes() const;
  void operator()(Real<T>* w, T* v, const T* a, std::byte* scratch) const;

 private:
  int n_;
  LapackWorkspace space_;
};

/// a = u diag(s) vh, a: m x n; s is descending. u and vh are not touched for Vectors::none. NaN everywhere if
/// a has a NaN or infinity, or LAPACK does not converge.
template <class T>
class SvdOfMatrix {
 public:
  SvdOfMatrix(int m, int n, Vectors vectors);
  std::size_t scratch_bytes() const;
  void operator()(T* u, Real<T>* s, T* vh, const T* a, std::byte* scratch) const;

 private:
  int m_, n_;
  Vectors vectors_;
  LapackWorkspace space_;
};

/// `count` matrices, each with ones on the diagonal and zeros elsewhere.
template <class T>
void fill_with_identities(T* x, std::int64_t rows, std::int64_t columns, std::int64_t count) {
  for (std::int64_t i = 0; i < count * rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) *x++ = T(i % rows == j ? 1 : 0);
}

}  // namespace tutti
