// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/team.hpp"

#include <fmt/core.h>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tutti/base/fork.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"
#include "tutti/devices/cores.hpp"
#include "tutti/tensor/products/blas.hpp"
#include "tutti/tensor/products/product.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto spin_time = std::chrono::microseconds(50);  // then sleep; waking costs 25-30 us
constexpr auto long_wait =
    std::chrono::microseconds(300);  // at a barrier: a helper does not get its processor
// Two of them so close look like more than an accident: who shares a processor gets it for milliseconds, then
// waits as long. The caller is alone then, at first for a short time: a host that takes a processor away now
// and then does the same. Twice as long when it soon happens again.
constexpr auto crowded_within = std::chrono::milliseconds(50);
constexpr auto shortest_alone = std::chrono::milliseconds(10);
constexpr auto longest_alone = std::chrono::milliseconds(200);
constexpr unsigned spins_before_yield = 3000;
constexpr unsigned spins_per_look_at_the_clock = 1024;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// A counter on cache lines of its own (two: neighbouring lines are fetched together).
struct alignas(128) Counter {
  std::atomic<std::uint32_t> value{0};
};

/// The thread that is in Team::run. A second one inside would wait at barriers that nobody else comes to.
class TheOnlyCaller {
 public:
  explicit TheOnlyCaller(std::atomic<bool>& occupied) : occupied_(occupied) {
    ensure(!occupied.exchange(true, std::memory_order_acquire),
           "two threads are in Team::run at the same time; its lock must keep one of them out");
  }
  ~TheOnlyCaller() { occupied_.store(false, std::memory_order_release); }
  TheOnlyCaller(const TheOnlyCaller&) = delete;
  TheOnlyCaller& operator=(const TheOnlyCaller&) = delete;

 private:
  std::atomic<bool>& occupied_;
};

/// That this thread may run on, and threads that it starts.
int usable_processors() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than a cpu_set_t has room for
}

/// A thread's stack, plus 1 MiB for the C library's notes on it, which may enlarge the heap.
std::size_t bytes_of_thread() {
  std::size_t stack_bytes = 0;
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &stack_bytes);
    pthread_attr_destroy(&attributes);
  }
  return stack_bytes + (1 << 20);
}

}  // namespace

struct Team::State {
  static thread_local const State* at_work;  // the team that this thread works for

  BlasUser blas_user;
  int workers;
  Use use;
  MadeHere is_here;
  std::string shortage;
  bool has_processors;             // one for each worker
  Clock::duration longest_wait{};  // that this piece of work may cause; guarded by turn
  Cores cores;                     // guarded by turn
  std::vector<std::thread> threads;
  std::mutex turn;                         // one piece of work at a time
  std::atomic<bool> occupied{false};       // whether a caller is in run(); turn keeps others out
  std::vector<Counter> arrived, finished;  // per worker: barriers passed in this piece; pieces done
  Counter posted, sleepers;
  std::atomic<bool> failed{false};
  std::atomic<bool> stopping{false};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  void (*work)(void*, int) = nullptr;
  void* context = nullptr;

  Clock::time_point last_long_wait{};      // guarded by turn
  Clock::time_point together_since{};      // again; guarded by turn
  Clock::duration alone{};                 // for how long, the last time; guarded by turn
  std::atomic<Clock::rep> alone_until{0};  // in ticks since the clock's epoch; 0: not crowded

  State(int n, Use u, Binding binding)
      : workers(n),
        use(u),
        has_processors(n <= usable_processors()),
        cores(binding == Binding::own_cores ? n : 1),  // a team of one binds nobody
        arrived(static_cast<std::size_t>(n)),
        finished(static_cast<std::size_t>(n)) {}

  Counter& arrival(int worker) { return arrived[static_cast<std::size_t>(worker)]; }
  Counter& finish(int worker) { return finished[static_cast<std::size_t>(worker)]; }

  /// Once for each thread; again if it failed.
  static void prepare_helper() {
    thread_local bool is_prepared = false;
    if (is_prepared) return;
    use_one_thread_for_products();
    is_prepared = true;
  }

  void perform(int worker) {
    const State* const before = std::exchange(at_work, this);
    try {
      if (worker > 0) prepare_helper();  // the caller's thread keeps its own setting
      work(context, worker);
    } catch (...) {
      std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      failed.store(true, std::memory_order_release);
    }
    at_work = before;
  }

  /// Spins, then sleeps, until a piece after `seen` is posted.
  void await_post(std::uint32_t seen) {
    Clock::time_point start = Clock::now();
    for (unsigned spins = 1; posted.value.load(std::memory_order_acquire) == seen; ++spins) {
      pause();
      if (spins % spins_per_look_at_the_clock != 0) continue;
      if (Clock::now() - start < spin_time) continue;
      sleepers.value.fetch_add(1);
      posted.value.wait(seen);
      sleepers.value.fetch_sub(1);
    }
  }

  void help(int worker) {
    for (std::uint32_t seen = 0;; ++seen) {
      await_post(seen);
      if (stopping.load()) return;
      perform(worker);
      finish(worker).value.store(seen + 1, std::memory_order_release);
    }
  }

  void post() {
    posted.value.fetch_add(
        1);  // sequentially consistent with sleepers: either we see the sleeper or it sees the post
    if (sleepers.value.load() != 0) posted.value.notify_all();
  }

  void make_do_with(int fewer, const std::string& why) {
    shortage = fmt::format(
        "{} worker threads were wanted, but the system starts no more: {}; raise its limit (ulimit -u)",
        workers, why);
    workers = fewer;
    has_processors = workers <= usable_processors();
  }

  void stop() {
    stopping.store(true);
    post();
    for (std::thread& thread : threads) thread.join();
  }

  enum class Until { reached, reached_or_failed };

  /// Worker 0 takes note of how long it waited.
  void spin_until(const std::atomic<std::uint32_t>& value, std::uint32_t goal, Until until, int worker) {
    Clock::time_point start{};
    for (unsigned spins = 1; static_cast<std::int32_t>(value.load(std::memory_order_acquire) - goal) < 0;
         ++spins) {
      if (until == Until::reached_or_failed && failed.load(std::memory_order_acquire)) return;
      pause();
      if (spins < spins_before_yield) continue;
      if (spins == spins_before_yield) start = Clock::now();
      std::this_thread::yield();
    }
    if (worker == 0) note_wait(start == Clock::time_point{} ? Clock::duration{} : Clock::now() - start);
  }

  void note_wait(Clock::duration waited) {
    if (waited < longest_wait) return;
    Clock::time_point now = Clock::now(), before = std::exchange(last_long_wait, now);
    auto is_soon_after = [&](Clock::time_point then) {
      return now - then <= crowded_within + 2 * longest_wait;
    };
    if (!is_soon_after(before)) return;
    alone =
        is_soon_after(together_since) ? std::min<Clock::duration>(2 * alone, longest_alone) : shortest_alone;
    together_since = now + alone;
    alone_until.store(together_since.time_since_epoch().count(), std::memory_order_relaxed);
  }
};

thread_local const Team::State* Team::State::at_work = nullptr;

int Team::default_workers() { return std::clamp(usable_processors(), 1, 2); }

Team::Team(int workers, Use use, Fewer fewer, Binding binding)
    : state_(std::make_unique<State>(workers, use, binding)) {
  require(workers >= 1, Code::device, "a team of {} workers; use 1 or more", workers);
  expect_blas_callers(workers);
  try {
    for (int i = 1; i < workers; ++i)
      state_->threads.emplace_back([state = state_.get(), i] { state->help(i); });
  } catch (const std::system_error& error) {
    // EAGAIN also means that there is no memory for the thread. This check comes before stop(), which gives
    // back the memory of the other threads.
    const bool has_memory = has_room(bytes_of_thread());
    if (has_memory && fewer == Fewer::accepted) {
      state_->make_do_with(static_cast<int>(std::ssize(state_->threads)) + 1, error.what());
      return;
    }
    state_->stop();
    require(has_memory, Code::memory,
            "a team of {} workers: no memory for a thread's stack; use fewer, or raise the limit (ulimit -v)",
            workers);
    fail(Code::device, "a team of {} workers: cannot start a thread: {}", workers, error.what());
  } catch (...) {
    state_->stop();
    throw;
  }
}

Team::~Team() {
  if (state_->is_here.is_true()) {
    state_->stop();
    return;
  }
  [[maybe_unused]] const State* left =
      state_.release();  // its threads are another process's: nobody may join them
}

int Team::workers() const { return state_->workers; }
const std::string& Team::shortage() const { return state_->shortage; }

void Team::run(void (*work)(void*, int), void* context, double expected_nanoseconds) {
  State& s = *state_;
  require(State::at_work != &s, Code::device,
          "a kernel calls a program of the machine that runs the kernel: it would wait for itself; compute "
          "in the "
          "kernel, or use another machine");
  std::lock_guard lock(s.turn);
  const TheOnlyCaller only(s.occupied);
  s.cores.keep_apart(s.threads);
  s.work = work;
  s.context = context;
  s.longest_wait = long_wait + std::chrono::nanoseconds(static_cast<std::int64_t>(2 * expected_nanoseconds));
  s.failed.store(false, std::memory_order_relaxed);
  for (Counter& counter : s.arrived) counter.value.store(0, std::memory_order_relaxed);
  std::uint32_t piece = s.posted.value.load(std::memory_order_relaxed) + 1;
  s.post();
  s.perform(0);
  for (int i = 1; i < s.workers; ++i) s.spin_until(s.finish(i).value, piece, State::Until::reached, 0);
  if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

bool Team::barrier(int worker) {
  State& s = *state_;
  std::uint32_t goal = s.arrival(worker).value.load(std::memory_order_relaxed) + 1;
  s.arrival(worker).value.store(goal, std::memory_order_release);
  for (int i = 0; i < s.workers; ++i)
    if (i != worker) s.spin_until(s.arrival(i).value, goal, State::Until::reached_or_failed, worker);
  return !s.failed.load(std::memory_order_acquire);
}

bool Team::is_always_crowded() const { return state_->use != Use::always && !state_->has_processors; }

Team::Helpers Team::helpers() const {
  if (state_->use == Use::always) return Helpers::ready;
  if (is_always_crowded()) return Helpers::crowded;
  Clock::rep alone_until = state_->alone_until.load(std::memory_order_relaxed);
  if (alone_until != 0) {
    if (Clock::now().time_since_epoch().count() < alone_until) return Helpers::crowded;
    state_->alone_until.store(0, std::memory_order_relaxed);
  }
  return state_->sleepers.value.load(std::memory_order_relaxed) != 0 ? Helpers::asleep : Helpers::ready;
}

}  // namespace tutti
