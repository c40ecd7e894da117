// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tutti/tensor/products/product.hpp"

namespace tutti {

/// The OpenBLAS that this process has loaded. The machine that runs a program decides which one, not the build.
struct Blas {
  enum class Threads {
    none,  // built without threads and without locks, or unknown: only one thread may be inside
    pthread,
    openmp,  // its number of threads belongs to the calling thread
  };
  std::string config;  // the library's own words: version, processor that its kernels are for, threads
  Threads threads;

  /// True if products of f64 and of complex numbers wait for each other: the library has no locks that we know of.
  bool is_serialised() const { return threads == Threads::none; }
};

/// Asks the library, the first time; sets its number of threads to 1 then, for the whole process. A Team does so when
/// it is made.
const Blas& blas();
inline constexpr const char* serialised_blas_note =
    "this OpenBLAS has no locks that we know of: products of f64 and of complex numbers wait for each other "
    "(docs/limits.md)";

/// So many threads may want to be inside the library at the same time: products made from now on reserve buffers for
/// them.
void expect_blas_callers(int threads);

/// Once before products are multiplied: the library takes a buffer for each thread that is inside, and tries for ever
/// where there is no memory. Makes one for each expected caller while there is memory. Threads without one take
/// turns.
/// Throws R003 if there is no memory for the first. Another thread may still take the memory between check and use,
/// and the library's own threads a buffer if they start after that.
void prepare_blas(DType dtype, const ProductShape& shape);

/// A matrix product of f64, complex64 or complex128 (never conjugated) on the calling thread alone. Any number of
/// threads may call it at the same time. No size is 0, or above largest_blas_size(). prepare_blas() was called.
void multiply_by_blas(DType dtype, const ProductShape& shape, std::byte* c, const std::byte* a,
                      const std::byte* b);
std::int64_t largest_blas_size();

/// At the end of a process OpenBLAS waits for its threads, one for each processor. Each takes a buffer first, and tries for
/// ever where there is no memory. True if there is room for all of them.
bool blas_threads_can_end();

}  // namespace tutti
