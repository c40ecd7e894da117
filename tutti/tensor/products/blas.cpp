// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/blas.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <charconv>
#include <complex>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "tutti/base/fork.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"
#include "tutti/tensor/products/blas_library.hpp"

namespace tutti {
namespace {

/// NUM_BUFFERS of OpenBLAS 0.3, the size of its table: 50, or twice the most threads that it was built for.
/// It starts no more than these.
int buffers_in_table(std::string_view config, int own_threads) {
  constexpr int fewest = 50, most_threads = 1 << 20;
  constexpr std::string_view key = "MAX_THREADS=";
  int threads = 0;
  if (const std::size_t found = config.find(key); found != config.npos) {
    const std::string_view number = config.substr(found + key.size());
    const auto end = std::from_chars(number.data(), number.data() + number.size(), threads);
    if (end.ec != std::errc() || threads > most_threads) threads = 0;
  }
  return std::max({fewest, 2 * threads, 2 * (own_threads + 1)});
}

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

/// Counts the library's buffers, and admits at most one thread per buffer. For one thread more the library
/// would allocate another buffer, and retry for ever without memory.
class Buffers {
 public:
  Buffers() { free_at_fork<mutex_>(); }
  void expect(int threads) {
    const std::unique_lock lock = locked();
    expected_ = std::max(expected_, threads);
  }
  /// Allocates one buffer per thread that may be inside, while memory lasts. False if there is no buffer at
  /// all.
  bool reserve() {
    std::unique_lock lock = locked();
    while (made_ < expected_ && (is_growing_ || can_grow())) {
      if (is_growing_) changed_.wait(lock);
      else grow(lock);
    }
    return made_ > 0;
  }
  /// Takes a buffer. If all are taken, allocates one more; without memory, waits until a thread gives one
  /// back.
  void take() {
    std::unique_lock lock = locked();
    while (is_closed_ || is_growing_ || taken_ == made_) {
      const bool may_grow = !is_closed_ && !is_growing_;
      if (may_grow && can_grow()) {
        grow(lock);
        continue;
      }
      require(!may_grow || made_ > 0, Code::memory,
              "no memory for OpenBLAS: it takes {} MiB of address space; free some, or raise its limit "
              "(ulimit -v)",
              blas_buffer_bytes >> 20);
      changed_.wait(lock);
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
    std::unique_lock lock = locked();
    is_closed_ = true;
    changed_.wait(lock, [this] { return taken_ == 0; });
  }

 private:
  std::unique_lock<std::mutex> locked() {
    std::unique_lock lock(mutex_);
    if (!is_here_.is_true()) forget_parent();
    return lock;
  }
  // In the child of a fork, the threads of the parent that were in the library never give their buffers back.
  // Those that were waiting are still noted in changed_: a new one takes its place, and the old one is not
  // destroyed, as that would wait for them.
  void forget_parent() {
    lost_ += taken_;
    made_ -= std::exchange(taken_, 0);
    is_growing_ = false;
    std::construct_at(&changed_);
    is_here_ = {};
  }

  // Each thread of the library's own takes a buffer when it starts to run, perhaps after this: buffers are
  // made for these threads as well.
  static int own_threads() { return load_blas_library().own_threads; }
  // A library without locks hands one buffer to two threads, and both results are wrong: it gets one caller.
  int most() const {
    return blas().is_serialised() ? 1 : most_blas_callers(blas().config, own_threads()) - lost_;
  }
  bool can_grow() const {
    const auto more = static_cast<std::size_t>(own_threads()) + 1;
    return made_ < most() && has_room(more * blas_buffer_bytes);
  }

  // The library allocates a buffer only while all others are in use. So this thread waits until every thread
  // has left the library, then takes all buffers and one more.
  void grow(std::unique_lock<std::mutex>& lock) {
    // Its own threads may hold theirs already: together they never need more than the table has.
    std::vector<void*> all(static_cast<std::size_t>(std::min(made_ + 1 + own_threads(), most())));
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

  static inline std::mutex mutex_;  // free in the child of a fork
  std::condition_variable changed_;
  int expected_ = 1, made_ = 0, taken_ = 0;
  int lost_ = 0;  // buffers that threads of the parent had taken
  bool is_growing_ = false;
  bool is_closed_ = false;
  MadeHere is_here_;
};

Buffers& buffers() {
  static NeverDestroyed<Buffers> buffers;
  return *buffers;
}

/// OpenBLAS frees its buffers when the process ends. The system calls this before, after the destructors of
/// statics.
[[gnu::destructor]] void leave_library() { buffers().close(); }

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
         size(s.k), one, a, size(s.a_transposed ? s.columns_of_transposed_a() : s.k), b,
         size(s.b_transposed ? s.k : s.n), zero, c, size(s.n));
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

int most_blas_callers(std::string_view config, int own_threads) {
  return buffers_in_table(config, own_threads) - own_threads;
}

bool has_loaded_blas() { return loaded_blas_library() != nullptr; }

BlasUser::BlasUser() { threads_of_blas().add_user(); }
BlasUser::~BlasUser() { threads_of_blas().remove_user(); }

void expect_blas_callers(int threads) { buffers().expect(threads); }

void prepare_blas(std::string_view work) {
  threads_of_blas().use_one();
  require(
      buffers().reserve(), Code::memory,
      "no memory for {}: OpenBLAS takes {} MiB of address space; free some, or raise the limit (ulimit -v)",
      work, blas_buffer_bytes >> 20);
}

InsideBlas::InsideBlas() {
  if (blas().threads == Blas::Threads::openmp) one_thread_.emplace();
  buffers().take();
}

InsideBlas::~InsideBlas() { buffers().give_back(); }

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
