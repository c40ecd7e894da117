// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tutti/tensor/product.hpp"

namespace tutti {

/// The OpenBLAS that this process has loaded. The machine that runs a program decides which one, not the build.
struct Blas {
  enum class Threads {
    none,  // built without threads and without locks: only one thread may be inside
    pthread,
    openmp,  // its number of threads belongs to the calling thread
  };
  std::string config;  // the library's own words: version, processor that its kernels are for, threads
  Threads threads;

  /// True if products of f64 and of complex numbers wait for each other, because the library has no locks.
  bool is_serialised() const { return threads == Threads::none; }
};

/// Asks the library, the first time; sets its number of threads to 1 then, for the whole process.
const Blas& blas();
inline constexpr const char* serialised_blas_note =
    "this OpenBLAS has no locks: products of f64 and of complex numbers wait for each other (docs/limits.md)";

/// OpenBLAS takes a buffer for each thread that is inside of it, the first time, and tries for ever where there is no
/// memory. Throws R003 instead, once per thread; another thread may still take the memory between this and the call.
void require_room_for_blas_buffer();

/// A matrix product of f64, complex64 or complex128 (never conjugated) on the calling thread alone. Any number of threads
/// may call it at the same time. No size is 0, or above largest_blas_size().
/// Throws R003 without memory for the library's buffer.
void multiply_by_blas(DType dtype, const ProductShape& shape, std::byte* c, const std::byte* a,
                      const std::byte* b);
std::int64_t largest_blas_size();

}  // namespace tutti
