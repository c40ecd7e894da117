// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/blas.hpp"

#include <cblas.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <complex>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "tutti/base/fork.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"
#include "tutti/tensor/products/one_thread.hpp"

// OpenBLAS's buffer pool, one per process: every library call takes the first free buffer and gives it back. All
// Linux builds export these functions; no header declares them.
extern "C" void* blas_memory_alloc(int unused);
extern "C" void blas_memory_free(void* buffer);

namespace tutti {
namespace {

constexpr std::size_t buffer_bytes = 128
                                     << 20;  // BUFFER_SIZE of OpenBLAS 0.3.21 on x86-64; smaller elsewhere
constexpr int most_buffers = 50;             // at most NUM_BUFFERS, the size of the library's table

Blas::Threads threads_of_library() {
  switch (openblas_get_parallel()) {
    case OPENBLAS_THREAD: return Blas::Threads::pthread;
    case OPENBLAS_OPENMP: return Blas::Threads::openmp;
    default:
      return Blas::Threads::none;  // also for unknown kinds of threads: one caller at a time is always safe
  }
}

Blas loaded_library() {
  openblas_set_num_threads(1);
  return {openblas_get_config(), threads_of_library()};
}

/// Held during calls of a library without locks, which hands one buffer to two threads: both results are wrong.
std::mutex& only_caller() {
  static std::mutex mutex;
  return mutex;
}

/// Counts the library's buffers, and admits at most one thread per buffer. For one thread more the library would
/// allocate another buffer, and retry for ever without memory.
class Buffers {
 public:
  void expect(int threads) {
    const std::lock_guard lock(mutex_);
    expected_ = std::max(expected_, threads);
  }
  /// Allocates one buffer per expected thread, while memory lasts. False if there is no buffer at all.
  bool reserve() {
    std::unique_lock lock(mutex_);
    while (made_ < expected_ && (is_growing_ || can_grow())) {
      if (is_growing_) changed_.wait(lock);
      else grow(lock);
    }
    return made_ > 0;
  }
  /// Takes a buffer. If all are taken, allocates one more; without memory, waits until a thread gives one back.
  void take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !is_closed_; });
    ensure(made_ > 0, "OpenBLAS is called before it has a buffer");
    while (is_growing_ || taken_ == made_) {
      if (is_growing_ || !can_grow()) changed_.wait(lock);
      else grow(lock);
    }
    ++taken_;
  }
  void give_back() {
    {
      const std::lock_guard lock(mutex_);
      --taken_;
    }
    changed_.notify_all();
  }
  /// Waits until no thread is in the library. From then on, threads that want to enter it wait for ever.
  void close() {
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    if (is_here_.is_true()) changed_.wait(lock, [this] { return taken_ == 0; });
  }

 private:
  bool can_grow() const { return made_ < most_buffers && has_room(buffer_bytes); }

  // The library allocates a buffer only while all others are in use. So this thread waits until every thread has left
  // the library, then takes all buffers and one more.
  void grow(std::unique_lock<std::mutex>& lock) {
    std::vector<void*> all(static_cast<std::size_t>(made_) + 1);
    is_growing_ = true;
    changed_.wait(lock, [this] { return taken_ == 0 && !is_closed_; });
    if (can_grow()) {
      for (void*& buffer : all) buffer = blas_memory_alloc(0);
      for (void* buffer : all) blas_memory_free(buffer);
      ++made_;
    }
    is_growing_ = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int expected_ = 1, made_ = 0, taken_ = 0;
  bool is_growing_ = false;
  bool is_closed_ = false;
  MadeHere is_here_;  // else threads of the parent seem to be in the library
};

Buffers& buffers() {
  static NeverDestroyed<Buffers> buffers;
  return *buffers;
}

std::unique_lock<std::mutex> turn_if_needed() {
  return blas().is_serialised() ? std::unique_lock(only_caller()) : std::unique_lock<std::mutex>();
}

/// OpenBLAS frees its buffers when the process ends. The system calls this before, after the destructors of
/// statics.
[[gnu::destructor]] void leave_library() { buffers().close(); }

/// Guard around a call of the library: holds the thread's turn, its OpenMP setting and its buffer.
class InsideBlas {
 public:
  InsideBlas() : turn_(turn_if_needed()) {
    if (blas().threads == Blas::Threads::openmp) one_thread_.emplace();
    buffers().take();
  }
  ~InsideBlas() { buffers().give_back(); }
  InsideBlas(const InsideBlas&) = delete;
  InsideBlas& operator=(const InsideBlas&) = delete;

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

/// Passes the complex factors by address, as BLAS requires.
template <class T, class Gemm>
void multiply_complex(Gemm gemm, const ProductShape& s, std::byte* c, const std::byte* a,
                      const std::byte* b) {
  const T one{1}, zero{0};
  multiply<T>(gemm, static_cast<const void*>(&one), static_cast<const void*>(&zero), s, c, a, b);
}

}  // namespace

const Blas& blas() {
  static const NeverDestroyed loaded(loaded_library());
  return *loaded;
}

void expect_blas_callers(int threads) {
  if (!blas().is_serialised()) buffers().expect(threads);
}

void prepare_blas(DType dtype, const ProductShape& s) {
  const std::unique_lock turn = turn_if_needed();
  require(
      buffers().reserve(), Code::memory,
      "no memory for a {} product of {}x{} and {}x{}: OpenBLAS takes {} MiB of address space; free some, or "
      "raise its limit (ulimit -v)",
      name(dtype), s.m, s.k, s.k, s.n, buffer_bytes >> 20);
}

void multiply_by_blas(DType dtype, const ProductShape& shape, std::byte* c, const std::byte* a,
                      const std::byte* b) {
  const InsideBlas inside;
  if (dtype == DType::f64) multiply<double>(cblas_dgemm, 1.0, 0.0, shape, c, a, b);
  else if (dtype == DType::complex64) multiply_complex<std::complex<float>>(cblas_cgemm, shape, c, a, b);
  else if (dtype == DType::complex128) multiply_complex<std::complex<double>>(cblas_zgemm, shape, c, a, b);
  else fail(Code::internal, "OpenBLAS has no product of {}", name(dtype));
}

std::int64_t largest_blas_size() { return std::numeric_limits<blasint>::max(); }

bool blas_threads_can_end() {
  const auto processors = static_cast<std::size_t>(std::max(1, ::get_nprocs()));
  return has_room(processors * buffer_bytes);
}

}  // namespace tutti
