// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/blas_library.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <vector>

#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"

namespace tutti {
namespace {

// Fedora names its builds by their threads and has no locks in the plain one. Elsewhere the plain name is all
// there is.
constexpr const char* names[] = {"libopenblasp.so.0", "libopenblaso.so.0", "libopenblas.so.0"};
constexpr std::size_t library_bytes = 64 << 20;  // 48 MiB of OpenBLAS 0.3.21, libgfortran and libquadmath

std::string loader_message() {
  const char* message =
      dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread, in every libc that we know
  return message ? message : "the loader gives no reason";
}

/// The threads that OpenBLAS starts when it is loaded, and the caller: one per processor that the caller may
/// use. OpenBLAS reads this variable then, so it is read here, too.
int threads_of_library() {
  cpu_set_t usable;
  const bool is_known = sched_getaffinity(0, sizeof usable, &usable) == 0;
  const int processors = std::max(1, is_known ? CPU_COUNT(&usable) : ::get_nprocs());
  const char* wanted = std::getenv("OPENBLAS_NUM_THREADS");
  const long most = wanted ? std::strtol(wanted, nullptr, 10) : 0;
  return most > 0 ? static_cast<int>(std::min<long>(most, processors)) : processors;
}

/// OpenBLAS ends the process if it cannot start a thread. So the same number of threads is started here
/// before.
void require_threads(int count) {
  struct Gate {
    std::mutex mutex;
    static void* wait(void* gate) {
      const std::lock_guard lock(static_cast<Gate*>(gate)->mutex);
      return nullptr;
    }
  } gate;
  std::unique_lock closed(gate.mutex);
  std::vector<pthread_t> started;
  started.reserve(static_cast<std::size_t>(count));
  int error = 0;
  for (int i = 0; i < count && error == 0; ++i) {
    pthread_t thread{};
    error = ::pthread_create(&thread, nullptr, Gate::wait, &gate);
    if (error == 0) started.push_back(thread);
  }
  closed.unlock();
  for (const pthread_t thread : started) ::pthread_join(thread, nullptr);
  require(
      error == 0, Code::memory,
      "OpenBLAS, which computes products of f64 and complex numbers, and linear algebra, starts threads "
      "when it is loaded, and only {} of {} can be started; raise the limits (ulimit -v, ulimit -u), or set "
      "OPENBLAS_NUM_THREADS=1 in the environment",
      started.size(), count);
}

void require_room_to_load() {
  const int threads = threads_of_library();
  require_threads(threads - 1);
  // Each thread of its own takes a buffer. One more for each is made with the first product (blas.cpp).
  const auto buffers = static_cast<std::size_t>(2 * threads - 1);
  const std::size_t bytes = library_bytes + buffers * blas_buffer_bytes;
  require(
      has_room(bytes), Code::memory,
      "no memory for OpenBLAS, which computes products of f64 and complex numbers, and linear algebra: with "
      "{} "
      "threads of its own it takes {} MiB of address space; free some, raise the limit (ulimit -v), or set "
      "OPENBLAS_NUM_THREADS=1 in the environment",
      threads, bytes >> 20);
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

/// The table of a library, or the reason why it cannot be used.
std::optional<BlasLibrary> functions_of(void* library, std::string& reason) {
  BlasLibrary made{};
  made.handle = library;
  const bool has_all = find(library, "openblas_get_config", made.get_config) &&
                       find(library, "openblas_get_parallel", made.get_parallel) &&
                       find(library, "openblas_get_num_threads", made.get_num_threads) &&
                       find(library, "openblas_set_num_threads", made.set_num_threads) &&
                       find(library, "blas_memory_alloc", made.take_buffer) &&
                       find(library, "blas_memory_free", made.free_buffer) &&
                       find(library, "cblas_dgemm", made.dgemm) && find(library, "cblas_cgemm", made.cgemm) &&
                       find(library, "cblas_zgemm", made.zgemm);
  if (!has_all) {
    reason = loader_message();
    return std::nullopt;
  }
  if (const std::string config = made.get_config(); config.find("USE64BITINT") != std::string::npos) {
    reason = "its sizes are integers of 64 bits: " + config;
    return std::nullopt;
  }
  return made;
}

BlasLibrary load() {
  require_room_to_load();
  std::string reasons;
  for (const char* name : names) {
    std::string reason;
    void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) reason = loader_message();
    else if (auto functions = functions_of(library, reason)) {
      functions->own_threads = functions->get_num_threads() - 1;
      return *functions;
    }
    reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", reason);
  }
  fail(Code::device,
       "no OpenBLAS can be loaded, which computes products of f64 and complex numbers, and linear algebra "
       "({}); "
       "install it (libopenblas0-pthread), or compute products in f32",
       reasons);
}

/// Never destroyed: threads may call the library until the process ends.
struct Loaded {
  std::mutex mutex;
  BlasLibrary functions{};
  std::atomic<const BlasLibrary*> ready{nullptr};
};

Loaded& loaded() {
  static Loaded& loaded = *new Loaded;
  return loaded;
}

}  // namespace

const BlasLibrary& load_blas_library() {
  if (const BlasLibrary* ready = loaded_blas_library()) return *ready;
  Loaded& state = loaded();
  const std::lock_guard lock(state.mutex);
  if (state.ready.load() == nullptr) {
    state.functions = load();
    state.ready.store(&state.functions, std::memory_order_release);
  }
  return state.functions;
}

const BlasLibrary* loaded_blas_library() { return loaded().ready.load(std::memory_order_acquire); }

}  // namespace tutti
