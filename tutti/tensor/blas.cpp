// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/blas.hpp"

#include <cblas.h>

#include <complex>
#include <limits>
#include <mutex>
#include <optional>

#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"
#include "tutti/tensor/one_thread.hpp"

namespace tutti {
namespace {

Blas::Threads threads_of_library() {
  switch (openblas_get_parallel()) {
    case OPENBLAS_THREAD: return Blas::Threads::pthread;
    case OPENBLAS_OPENMP: return Blas::Threads::openmp;
    default: return Blas::Threads::none;  // also of a library that is newer than we know
  }
}

Blas loaded_library() {
  openblas_set_num_threads(1);
  return {openblas_get_config(), threads_of_library()};
}

/// A library without locks hands the same buffer to two threads, and both results are wrong.
std::mutex& only_caller() {
  static std::mutex mutex;
  return mutex;
}

/// What a thread holds while it is inside the library: nothing where that was built for several threads.
class InsideBlas {
 public:
  InsideBlas() {
    const Blas::Threads threads = blas().threads;
    if (threads == Blas::Threads::pthread) [[likely]]
      return;
    if (threads == Blas::Threads::none) turn_ = std::unique_lock(only_caller());
    else one_thread_.emplace();
  }

 private:
  std::unique_lock<std::mutex> turn_;
  std::optional<OneThread> one_thread_;
};

template <class T, class Gemm, class Number>
void multiply(Gemm gemm, Number one, Number zero, const ProductShape& s, std::byte* c_bytes,
              const std::byte* a_bytes, const std::byte* b_bytes) {
  const auto transposed = [](bool t) { return t ? CblasTrans : CblasNoTrans; };
  const auto size = [](std::int64_t n) { return static_cast<blasint>(n); };
  auto* c = reinterpret_cast<T*>(c_bytes);
  auto* a = reinterpret_cast<const T*>(a_bytes);
  auto* b = reinterpret_cast<const T*>(b_bytes);
  for (std::int64_t batch = 0; batch < s.batch; ++batch, c += s.m * s.n, a += s.m * s.k, b += s.k * s.n)
    gemm(CblasRowMajor, transposed(s.a_transposed), transposed(s.b_transposed), size(s.m), size(s.n),
         size(s.k), one, a, size(s.a_transposed ? s.m : s.k), b, size(s.b_transposed ? s.k : s.n), zero, c,
         size(s.n));
}

/// BLAS takes complex numbers by address.
template <class T, class Gemm>
void multiply_complex(Gemm gemm, const ProductShape& s, std::byte* c, const std::byte* a,
                      const std::byte* b) {
  const T one{1}, zero{0};
  multiply<T>(gemm, static_cast<const void*>(&one), static_cast<const void*>(&zero), s, c, a, b);
}

}  // namespace

const Blas& blas() {
  static const Blas loaded = loaded_library();
  return loaded;
}

void require_room_for_blas_buffer() {
  constexpr std::size_t bytes = 128 << 20;  // BUFFER_SIZE of OpenBLAS 0.3.21 on x86-64; smaller elsewhere
  thread_local bool had_room = false;
  if (had_room) return;
  require(has_room(bytes), Code::memory, "no memory for a product: OpenBLAS takes {} MiB for each thread",
          bytes >> 20);
  had_room = true;
}

void multiply_by_blas(DType dtype, const ProductShape& shape, std::byte* c, const std::byte* a,
                      const std::byte* b) {
  require_room_for_blas_buffer();
  const InsideBlas inside;
  if (dtype == DType::f64) multiply<double>(cblas_dgemm, 1.0, 0.0, shape, c, a, b);
  else if (dtype == DType::complex64) multiply_complex<std::complex<float>>(cblas_cgemm, shape, c, a, b);
  else if (dtype == DType::complex128) multiply_complex<std::complex<double>>(cblas_zgemm, shape, c, a, b);
  else fail(Code::internal, "OpenBLAS has no product of {}", name(dtype));
}

std::int64_t largest_blas_size() { return std::numeric_limits<blasint>::max(); }

}  // namespace tutti
