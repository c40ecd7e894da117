// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

#include "tutti/base/inside.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// The type of the parts of complex numbers; a real type itself.
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

/// LAPACK's functions for elements T, as Fortran compilers call them: everything by address, and at the end
/// the length of each string. Matrices are column-major. Declared here, as no header is installed with
/// OpenBLAS 0.3 on Debian.
template <class T>
struct LapackFunctions {
  using Int = const int*;
  using Char = const char*;
  using Length = std::size_t;
  using R = Real<T>;
  using Syevd = void (*)(Char job, Char triangle, Int n, T* a, Int lda, R* w, T* work, Int lwork, int* iwork,
                         Int liwork, int* info, Length, Length);
  using Heevd = void (*)(Char job, Char triangle, Int n, T* a, Int lda, R* w, T* work, Int lwork, R* rwork,
                         Int lrwork, int* iwork, Int liwork, int* info, Length, Length);
  using RealGesdd = void (*)(Char job, Int m, Int n, T* a, Int lda, R* s, T* u, Int ldu, T* vt, Int ldvt,
                             T* work, Int lwork, int* iwork, int* info, Length);
  using ComplexGesdd = void (*)(Char job, Int m, Int n, T* a, Int lda, R* s, T* u, Int ldu, T* vt, Int ldvt,
                                T* work, Int lwork, R* rwork, int* iwork, int* info, Length);

  void (*trsm)(Char side, Char triangle, Char form, Char diagonal, Int m, Int n, const T* alpha, const T* a,
               Int lda, T* b, Int ldb, Length, Length, Length, Length);
  void (*potrf)(Char triangle, Int n, T* a, Int lda, int* info, Length);
  void (*getrf)(Int m, Int n, T* a, Int lda, int* pivots, int* info);
  void (*geqrf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, int* info);
  void (*orgqr)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork,
                int* info);  // ungqr of complex numbers
  std::conditional_t<is_complex_element<T>, Heevd, Syevd> syevd;
  std::conditional_t<is_complex_element<T>, ComplexGesdd, RealGesdd> gesdd;
};

/// LAPACK in the loaded OpenBLAS.
struct LapackLibrary {
  LapackFunctions<float> f32;
  LapackFunctions<double> f64;
  LapackFunctions<std::complex<float>> complex64;
  LapackFunctions<std::complex<double>> complex128;

  template <class T>
  const LapackFunctions<T>& of() const {
    if constexpr (std::is_same_v<T, float>) return f32;
    else if constexpr (std::is_same_v<T, double>) return f64;
    else if constexpr (std::is_same_v<T, std::complex<float>>) return complex64;
    else return complex128;
  }
};

/// Finds the functions in OpenBLAS, which it loads, the first time. Throws R004 if there is no OpenBLAS, or
/// if it was built without LAPACK; R003 as load_blas_library().
const LapackLibrary& load_lapack_library();

}  // namespace tutti
