// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/blas.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <complex>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "tutti/base/fork.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"
#include "tutti/tensor/products/blas_library.hpp"
#include "tutti/tensor/products/one_thread.hpp"

namespace tutti {
namespace {

constexpr int most_buffers = 50;  // at most NUM_BUFFERS, the size of the library's table

Blas::Threads threads_of(const BlasLibrary& library) {
  switch (library.get_parallel()) {
    case openblas::by_pthread: return Blas::Threads::pthread;
    case openblas::by_openmp: return Blas::Threads::openmp;
    default:
      return Blas::Threads::none;  // also for unknown kinds of threads: one caller at a time is always safe
  }
}

/// OpenBLAS's number of threads in this process, and who needs it to be 1.
class ThreadsOfBlas {
 public:
  void add_user() {
    const std::lock_guard lock(mutex_);
    ++users_;
  }
  void remove_user() {
    const std::lock_guard lock(mutex_);
    if (--users_ == 0) restore();
  }
  void use_one() {
    const std::lock_guard lock(mutex_);
    ensure(users_ > 0, "OpenBLAS is prepared without a user");
    if (before_) return;
    before_ = load_blas_library().get_num_threads();
    if (*before_ != 1) set(1);
  }

 private:
  // A number that somebody else has set meanwhile stays. OpenBLAS may start threads, which need memory.
  void restore() {
    const int before = std::exchange(before_, std::nullopt).value_or(1);
    if (before != 1 && load_blas_library().get_num_threads() == 1 && blas_threads_can_end()) set(before);
  }
  // A library for OpenMP sets OpenMP's number for the calling thread, too.
  void set(int threads) {
    const int of_this_thread = omp_get_max_threads();
    load_blas_library().set_num_threads(threads);
    if (omp_get_max_threads() != of_this_thread) omp_set_num_threads(of_this_thread);
  }

  std::mutex mutex_;
  int users_ = 0;
  std::optional<int> before_;  // the number that is to be restored
};

// The following are never destroyed: other threads may still compute when the process ends.
ThreadsOfBlas& threads_of_blas() {
  static ThreadsOfBlas& threads = *new ThreadsOfBlas;
  return threads;
}

/// Held during calls of a library without locks, which hands one buffer to two threads: both results are wrong.
std::mutex& only_caller() {
  static std::mutex& mutex = *new std::mutex;
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
  /// Allocates one buffer per thread that may be inside, while memory lasts. False if there is no buffer at
  /// all.
  bool reserve() {
    std::unique_lock lock(mutex_);
    const int wanted = blas().is_serialised() ? 1 : expected_;
    while (made_ < wanted && (is_growing_ || can_grow())) {
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
  bool can_grow() const { return made_ < most_buffers && has_room(blas_buffer_bytes); }

  // The library allocates a buffer only while all others are in use. So this thread waits until every thread has left
  // the library, then takes all buffers and one more.
  void grow(std::unique_lock<std::mutex>& lock) {
    std::vector<void*> all(static_cast<std::size_t>(made_) + 1);
    is_growing_ = true;
    changed_.wait(lock, [this] { return taken_ == 0 && !is_closed_; });
    if (can_grow()) {
      const BlasLibrary& library = load_blas_library();
      for (void*& buffer : all) buffer = library.take_buffer(0);
      for (void* buffer : all) library.free_buffer(buffer);
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

template <class T, class Gemm, class Factor>
void multiply(Gemm gemm, Factor one, Factor zero, const ProductShape& s, std::byte* c_bytes,
              const std::byte* a_bytes, const std::byte* b_bytes) {
  const auto transposed = [](bool t) { return t ? openblas::transposed : openblas::not_transposed; };
  const auto size = [](std::int64_t n) { return static_cast<int>(n); };
  auto* c = reinterpret_cast<T*>(c_bytes);
  auto* a = reinterpret_cast<const T*>(a_bytes);
  auto* b = reinterpret_cast<const T*>(b_bytes);
  for (std::int64_t batch = 0; batch < s.batch; ++batch, c += s.m * s.n, a += s.m * s.k, b += s.k * s.n)
    gemm(openblas::row_major, transposed(s.a_transposed), transposed(s.b_transposed), size(s.m), size(s.n),
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
  const BlasLibrary& library = load_blas_library();
  static const NeverDestroyed described(Blas{library.get_config(), threads_of(library)});
  return *described;
}

bool has_loaded_blas() { return loaded_blas_library() != nullptr; }

BlasUser::BlasUser() { threads_of_blas().add_user(); }
BlasUser::~BlasUser() { threads_of_blas().remove_user(); }

void expect_blas_callers(int threads) { buffers().expect(threads); }

void prepare_blas(DType dtype, const ProductShape& s) {
  threads_of_blas().use_one();
  const std::unique_lock turn = turn_if_needed();
  require(
      buffers().reserve(), Code::memory,
      "no memory for a {} product of {}x{} and {}x{}: OpenBLAS takes {} MiB of address space; free some, or "
      "raise its limit (ulimit -v)",
      name(dtype), s.m, s.k, s.k, s.n, blas_buffer_bytes >> 20);
}

void multiply_by_blas(DType dtype, const ProductShape& shape, std::byte* c, const std::byte* a,
                      const std::byte* b) {
  const InsideBlas inside;
  const BlasLibrary& library = load_blas_library();
  if (dtype == DType::f64) multiply<double>(library.dgemm, 1.0, 0.0, shape, c, a, b);
  else if (dtype == DType::complex64) multiply_complex<std::complex<float>>(library.cgemm, shape, c, a, b);
  else if (dtype == DType::complex128) multiply_complex<std::complex<double>>(library.zgemm, shape, c, a, b);
  else fail(Code::internal, "OpenBLAS has no product of {}", name(dtype));
}

std::int64_t largest_blas_size() { return std::numeric_limits<int>::max(); }

bool blas_threads_can_end() {
  if (!has_loaded_blas()) return true;
  const auto processors = static_cast<std::size_t>(std::max(1, ::get_nprocs()));
  return has_room(processors * blas_buffer_bytes);
}

}  // namespace tutti
