// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "tutti/base/inside.hpp"

namespace tutti {

// The C interface of OpenBLAS 0.3, as its header cblas.h declares it: sizes are int, enums have the numbers
// below.
namespace openblas {
inline constexpr int row_major = 101, not_transposed = 111, transposed = 112;
inline constexpr int sequential = 0, by_pthread = 1, by_openmp = 2;  // from openblas_get_parallel
template <class T, class Factor>
using Gemm = void (*)(int order, int a_transposed, int b_transposed, int m, int n, int k, Factor alpha,
                      const T* a, int lda, const T* b, int ldb, Factor beta, T* c, int ldc);
}  // namespace openblas

/// The functions of OpenBLAS that products call. LAPACK's have a table of their own: tensor/linalg.
struct BlasLibrary {
  void* handle;     // from dlopen; never closed
  int own_threads;  // that the library started when it was loaded
  char* (*get_config)();
  int (*get_parallel)();
  int (*get_num_threads)();
  void (*set_num_threads)(int);
  // The pool of buffers, one per process: a call of the library takes the first free buffer and gives it
  // back. All Linux builds export these functions, no header declares them.
  void* (*take_buffer)(int unused);
  void (*free_buffer)(void* buffer);
  openblas::Gemm<double, double> dgemm;
  openblas::Gemm<void, const void*> cgemm, zgemm;  // complex factors are passed by address
};

/// Loads OpenBLAS, the first time. A thread-safe build is preferred to one without locks.
/// Throws R004 if there is none, and R003 if there is no memory for the library and for the threads that it
/// starts.
const BlasLibrary& load_blas_library();
/// The library, if load_blas_library() has loaded it.
const BlasLibrary* loaded_blas_library();

// BUFFER_SIZE of OpenBLAS 0.3.21 on x86-64; smaller elsewhere.
inline constexpr std::size_t blas_buffer_bytes = 128 << 20;

}  // namespace tutti
