// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/linalg/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

const char* letter(Triangle triangle) { return triangle == Triangle::lower ? "L" : "U"; }
const char* letter(MatrixSide side) { return side == MatrixSide::left ? "L" : "R"; }
const char* letter(Diagonal diagonal) { return diagonal == Diagonal::stored ? "N" : "U"; }
const char* letter(Form form) {
  switch (form) {
    case Form::as_is: return "N";
    case Form::transposed: return "T";
    case Form::adjoint: break;
  }
  return "C";
}
const char* letter_of_svd(Vectors vectors) {
  switch (vectors) {
    case Vectors::none: return "N";
    case Vectors::reduced: return "S";
    case Vectors::complete: break;
  }
  return "A";
}
const char* letter_of_eigen(Vectors vectors) { return vectors == Vectors::none ? "N" : "V"; }

/// A routine writes the size of its work into an element. Of f32 the size may have been rounded down.
template <class T>
int size_in(T element) {
  const auto size = std::real(element);
  const double above = std::nextafter(size, std::numeric_limits<decltype(size)>::infinity());
  const double needed = size < (1 << 24) ? std::ceil(static_cast<double>(size)) : std::ceil(above);
  require(needed <= std::numeric_limits<int>::max(), Code::shape,
          "LAPACK needs a workspace of more than 2^31 - 1 elements; use smaller matrices");
  return std::max(1, static_cast<int>(needed));
}

/// The smallest size of a workspace, by LAPACK's documentation, as an int.
int require_count(std::int64_t count) {
  require(count <= std::numeric_limits<int>::max(), Code::shape,
          "LAPACK needs a workspace of {} elements, more than 2^31 - 1; use smaller matrices", count);
  return static_cast<int>(count);
}

/// The arrays of a workspace in scratch.
template <class T>
struct Arrays3 {
  Arrays3(const LapackWorkspace& space, std::byte* scratch)
      : elements(reinterpret_cast<T*>(scratch)),
        reals(reinterpret_cast<Real<T>*>(scratch + space.in_lines<T>(space.elements))),
        integers(reinterpret_cast<int*>(reinterpret_cast<std::byte*>(reals) +
                                        space.in_lines<Real<T>>(space.reals))) {}
  T* elements;
  Real<T>* reals;
  int* integers;
};

constexpr int query = -1;

/// A negative result names an argument that is wrong: a defect of ours. gesdd also says so of a NaN.
void ensure_arguments(int info) { ensure(info >= 0, "LAPACK refuses its argument {}", -info); }

}  // namespace

bool is_for_lapack(DType dtype) { return is_inexact(dtype) && !is_half(dtype); }

LapackUser::LapackUser(std::string_view work, std::int64_t largest_size) {
  require(largest_size <= largest_blas_size(), Code::shape,
          "{}: OpenBLAS takes sizes up to {}; use smaller matrices", work, largest_blas_size());
  load_lapack_library();
  prepare_blas(work);
}

template <class T>
int Lapack<T>::potrf(Triangle triangle, int n, T* a) const {
  int info = 0;
  functions_.potrf(letter(triangle), &n, a, &n, &info, 1);
  ensure_arguments(info);
  return info;
}

template <class T>
void Lapack<T>::trsm(MatrixSide side, Triangle triangle, Form form, Diagonal diagonal, int m, int n,
                     const T* a, T* b) const {
  const T one{1};
  const int lda = side == MatrixSide::left ? m : n;
  functions_.trsm(letter(side), letter(triangle), letter(form), letter(diagonal), &m, &n, &one, a, &lda, b,
                  &m, 1, 1, 1, 1);
}

template <class T>
int Lapack<T>::getrf(int m, int n, T* a, int* pivots) const {
  int info = 0;
  functions_.getrf(&m, &n, a, &m, pivots, &info);
  ensure_arguments(info);
  return info;
}

template <class T>
void Lapack<T>::geqrf(int m, int n, T* a, T* tau, const LapackWorkspace& space, std::byte* scratch) const {
  int info = 0;
  functions_.geqrf(&m, &n, a, &m, tau, Arrays3<T>(space, scratch).elements, &space.elements, &info);
  ensure_arguments(info);
}

template <class T>
LapackWorkspace Lapack<T>::geqrf_workspace(int m, int n) const {
  T size{};
  int info = 0;
  functions_.geqrf(&m, &n, nullptr, &m, nullptr, &size, &query, &info);
  ensure_arguments(info);
  return {std::max(n, size_in(size))};
}

template <class T>
void Lapack<T>::orgqr(int m, int n, int k, T* a, const T* tau, const LapackWorkspace& space,
                      std::byte* scratch) const {
  int info = 0;
  functions_.orgqr(&m, &n, &k, a, &m, tau, Arrays3<T>(space, scratch).elements, &space.elements, &info);
  ensure_arguments(info);
}

template <class T>
LapackWorkspace Lapack<T>::orgqr_workspace(int m, int n, int k) const {
  T size{};
  int info = 0;
  functions_.orgqr(&m, &n, &k, nullptr, &m, nullptr, &size, &query, &info);
  ensure_arguments(info);
  return {std::max(n, size_in(size))};
}

template <class T>
int Lapack<T>::syevd(Vectors vectors, Triangle triangle, int n, T* a, Real<T>* w,
                     const LapackWorkspace& space, std::byte* scratch) const {
  int info = 0;
  const Arrays3<T> work(space, scratch);
  if constexpr (is_complex_element<T>)
    functions_.syevd(letter_of_eigen(vectors), letter(triangle), &n, a, &n, w, work.elements, &space.elements,
                     work.reals, &space.reals, work.integers, &space.integers, &info, 1, 1);
  else
    functions_.syevd(letter_of_eigen(vectors), letter(triangle), &n, a, &n, w, work.elements, &space.elements,
                     work.integers, &space.integers, &info, 1, 1);
  ensure_arguments(info);
  return info;
}

// The smallest sizes are those of LAPACK's documentation. The query's answer is kept where it is larger.
template <class T>
LapackWorkspace Lapack<T>::syevd_workspace(Vectors vectors, int n) const {
  const std::int64_t wide = n, square = wide * wide;
  const bool has_vectors = vectors != Vectors::none;
  T size{};
  Real<T> reals{};
  int info = 0, integers = 0;
  LapackWorkspace space;
  if constexpr (is_complex_element<T>) {
    space.elements = require_count(has_vectors ? 2 * wide + square : wide + 1);
    space.reals = require_count(has_vectors ? 1 + 5 * wide + 2 * square : wide);
    functions_.syevd(letter_of_eigen(vectors), "L", &n, nullptr, &n, nullptr, &size, &query, &reals, &query,
                     &integers, &query, &info, 1, 1);
    space.reals = std::max(space.reals, size_in(reals));
  } else {
    space.elements = require_count(has_vectors ? 1 + 6 * wide + 2 * square : 2 * wide + 1);
    functions_.syevd(letter_of_eigen(vectors), "L", &n, nullptr, &n, nullptr, &size, &query, &integers,
                     &query, &info, 1, 1);
  }
  ensure_arguments(info);
  space.elements = std::max(space.elements, size_in(size));
  space.integers = std::max(integers, require_count(has_vectors ? 3 + 5 * wide : 1));
  return space;
}

template <class T>
int Lapack<T>::gesdd(Vectors vectors, int m, int n, T* a, Real<T>* s, T* u, T* vt,
                     const LapackWorkspace& space, std::byte* scratch) const {
  int info = 0;
  const Arrays3<T> work(space, scratch);
  const int rows_of_vt = vectors == Vectors::reduced ? std::min(m, n) : n;
  if constexpr (is_complex_element<T>)
    functions_.gesdd(letter_of_svd(vectors), &m, &n, a, &m, s, u, &m, vt, &rows_of_vt, work.elements,
                     &space.elements, work.reals, work.integers, &info, 1);
  else
    functions_.gesdd(letter_of_svd(vectors), &m, &n, a, &m, s, u, &m, vt, &rows_of_vt, work.elements,
                     &space.elements, work.integers, &info, 1);
  constexpr int a_has_nan = -4;
  if (info != a_has_nan) ensure_arguments(info);
  return info;
}

template <class T>
LapackWorkspace Lapack<T>::gesdd_workspace(Vectors vectors, int m, int n) const {
  const std::int64_t least = std::min(m, n), most = std::max(m, n);
  T size{};
  int info = 0;
  LapackWorkspace space;
  const int rows_of_vt = vectors == Vectors::reduced ? std::min(m, n) : n;
  space.integers = require_count(8 * least);
  if constexpr (is_complex_element<T>) {
    space.reals = require_count(
        vectors == Vectors::none ? 7 * least : least * std::max(5 * least + 7, 2 * most + 2 * least + 1));
    functions_.gesdd(letter_of_svd(vectors), &m, &n, nullptr, &m, nullptr, nullptr, &m, nullptr, &rows_of_vt,
                     &size, &query, nullptr, nullptr, &info, 1);
  } else {
    functions_.gesdd(letter_of_svd(vectors), &m, &n, nullptr, &m, nullptr, nullptr, &m, nullptr, &rows_of_vt,
                     &size, &query, nullptr, &info, 1);
  }
  ensure_arguments(info);
  space.elements = size_in(size);
  return space;
}

template class Lapack<float>;
template class Lapack<double>;
template class Lapack<std::complex<float>>;
template class Lapack<std::complex<double>>;

}  // namespace tutti
