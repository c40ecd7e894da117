// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tutti/tensor/products/one_thread.hpp"
#include "tutti/tensor/products/product.hpp"

namespace tutti {

/// The OpenBLAS that this process has loaded. The machine that runs the program provides the library, not the
/// build.
struct Blas {
  enum class Threads {
    none,  // built without threads and locks, or unknown: only one thread at a time may call the library
    pthread,
    openmp,  // every calling thread has its own setting of the number of threads
  };
  std::string config;  // from openblas_get_config: version, target processor of the kernels, threads
  Threads threads;

  /// True if products of f64 and complex numbers run one at a time, because the library has no known locks.
  bool is_serialised() const { return threads == Threads::none; }
};

/// Describes the library, and loads it the first time: making the first product of f64 or complex numbers
/// does that, or the first op of linear algebra. Throws R004 if there is no library, R003 if there is no
/// memory for it.
const Blas& blas();
/// Whether the library is loaded.
bool has_loaded_blas();
inline constexpr const char* serialised_blas_note =
    "this OpenBLAS has no locks that we know of: products of f64 and of complex numbers wait for each other "
    "(docs/limits.md)";

/// How many threads may call the library at the same time, given its config and the number of threads that it
/// has started itself: its table of buffers has one for each of both.
int most_blas_callers(std::string_view config, int own_threads);

/// A user of OpenBLAS: a team of workers, a product, or an op of linear algebra. prepare_blas() sets the
/// library's number of threads to 1, for the whole process. When the last user is gone, the number is again
/// what it was before.
class BlasUser {
 public:
  BlasUser();
  ~BlasUser();
  BlasUser(const BlasUser&) = delete;
  BlasUser& operator=(const BlasUser&) = delete;
};

/// Says that up to `threads` threads may call the library at the same time. Products made from now on reserve
/// one buffer for each of them. Does not load the library.
void expect_blas_callers(int threads);

/// Loads the library, the first time, and allocates one OpenBLAS buffer for each expected caller, while
/// memory lasts. Call it before an InsideBlas is made, while there is a BlasUser: without memory for a buffer
/// OpenBLAS retries for ever. With fewer buffers than callers, the callers take turns. Throws R004 if there
/// is no library, R003 if there is no memory for it or for one buffer; `work` is what the message says that
/// memory is missing for. Another thread may still take the memory between check and use.
void prepare_blas(std::string_view work);

/// Guard around calls of the library by one thread: holds the thread's buffer and OpenMP setting. Any number
/// of threads may have one. Waits while there are more callers than buffers. Requires prepare_blas().
class InsideBlas {
 public:
  InsideBlas();
  ~InsideBlas();
  InsideBlas(const InsideBlas&) = delete;
  InsideBlas& operator=(const InsideBlas&) = delete;

 private:
  std::optional<OneThread> one_thread_;
};

/// Multiplies matrices of f64, complex64 or complex128 (never conjugated) on the calling thread alone. Any
/// number of threads may call it at the same time. Requires prepare_blas() and sizes from 1 to
/// largest_blas_size().
void multiply_by_blas(DType dtype, const ProductShape& shape, std::byte* c, const std::byte* a,
                      const std::byte* b);
std::int64_t largest_blas_size();

/// True if OpenBLAS's own threads, one per processor, can end, or if there are none. At the end of the
/// process OpenBLAS joins these threads. Each thread allocates a buffer before it ends, and retries for ever
/// without memory.
bool blas_threads_can_end();

}  // namespace tutti
