// SPDX-License-Identifier: Apache-2.0
// Machines in a process that has threads of its own: OpenMP's, those of BLAS, and other machines.
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <thread>

#include "bench/processors.hpp"
#include "tests/support/sanitizer.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using bench::usable_processors;
using Processors = std::vector<int>;

const Mesh line({{"i", 4}});
constexpr std::int64_t size = 4 * 40'000;

/// The processors that each thread of this process may use.
std::map<int, Processors> processors_by_thread() {
  std::map<int, Processors> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const int thread = std::stoi(entry.path().filename());
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(thread, sizeof set, &set) != 0) continue;  // it has ended
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
      if (CPU_ISSET(processor, &set)) found[thread].push_back(processor);
  }
  return found;
}

Tensor numbers() {
  std::vector<float> made;
  for (int i = 0; i < size; ++i) made.push_back(static_cast<float>(i % 2001) * 0.5F);
  return Tensor({size}, made);
}

/// A program that takes its time, so that all workers run it.
Array mixed(const Array& x) {
  const auto trip = [](const Array&, const Array& c) { return sin(c) * 0.5F + psum(cos(c), "i") * 0.1F; };
  return fori_loop(0, 4, trip, x);
}
auto on_line() { return shard_map(mixed, {.mesh = line, .in = P("i"), .out = P("i")}); }

Tensor expected() {
  return open_local(line, {.workers = 1}).compile(on_line(), numbers())(numbers()).tensor();
}

/// The processors of the threads that a machine of two workers has added, after some calls.
std::vector<Processors> processors_of_helpers(bool bind) {
  const std::map<int, Processors> before = processors_by_thread();
  const Machine machine = open_local(line, {.workers = 2, .bind = bind});
  const auto run = machine.compile(on_line(), numbers());
  for (int call = 0; call < 5; ++call) run(numbers());
  std::vector<Processors> of_helpers;
  for (const auto& [thread, processors] : processors_by_thread())
    if (!before.contains(thread)) of_helpers.push_back(processors);
    else EXPECT_EQ(processors, before.at(thread));
  return of_helpers;
}

TEST(guest, binds_no_thread_where_it_is_told_so) {
  const Processors own = usable_processors();
  for (const Processors& helper : processors_of_helpers(false)) EXPECT_EQ(helper, own);
  EXPECT_EQ(usable_processors(), own);
}

TEST(guest, binds_one_thread_for_each_further_worker_and_not_the_caller) {
  const Processors own = usable_processors();
  if (own.size() < 2 || has_sanitizer()) GTEST_SKIP() << "one processor, or threads of a sanitizer";
  const std::vector<Processors> helpers = processors_of_helpers(true);
  ASSERT_EQ(helpers.size(), 1U);
  EXPECT_LT(helpers[0].size(), own.size());
  EXPECT_EQ(usable_processors(), own);
}

/// Counts what is wrong in calls of a machine of its own, while `busy`.
int wrong_calls(const std::atomic<bool>& busy, bool bind, const Tensor& right) {
  const Machine machine = open_local(line, {.workers = 2, .bind = bind});
  const Tensor x = numbers();
  const auto run = machine.compile(on_line(), x);
  int wrong = 0;
  for (int call = 0; call < 3 || busy; ++call) wrong += run(x).tensor() != right;
  return wrong;
}

TEST(guest, of_two_teams_computes_the_same) {
  const Tensor right = expected();
  std::atomic<bool> busy = true;
  std::vector<int> wrong(2);
  std::vector<std::jthread> callers;
  for (int& each : wrong) callers.emplace_back([&] { each = wrong_calls(busy, &each == &wrong[0], right); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  busy = false;
  callers.clear();
  EXPECT_EQ(wrong, std::vector<int>(2));
}

// ---- a user's OpenMP, in a region of three threads that lasts as long as `work` says

/// Adds up 1, 2, .., n, again and again. Returns the processors of the region's threads, before and after.
std::pair<std::vector<Processors>, std::vector<Processors>> sum_in_a_region(const std::atomic<bool>& busy,
                                                                            int& wrong) {
  std::vector<Processors> before(3), after(3);
#pragma omp parallel num_threads(3)
  {
    int thread = 0;
#pragma omp critical
    {
      static std::atomic<int> next;
      thread = next++ % 3;
    }
    before[static_cast<std::size_t>(thread)] = usable_processors();
    while (busy) {
      std::int64_t sum = 0;
      for (std::int64_t i = 1; i <= 100'000; ++i) sum += i;
      if (sum != 5'000'050'000) {
#pragma omp atomic
        ++wrong;
      }
    }
    after[static_cast<std::size_t>(thread)] = usable_processors();
  }
  return {before, after};
}

TEST(guest, of_a_process_that_uses_openmp_leaves_its_threads_where_they_are) {
#ifndef _OPENMP
  GTEST_SKIP() << "this compiler has no OpenMP";
#endif
  if (__tsan_init != nullptr) GTEST_SKIP() << "the thread sanitizer does not know libgomp's barriers";
  const Tensor right = expected();
  const Processors own = usable_processors();
  for (const bool bind : {true, false}) {
    std::atomic<bool> busy = true;
    int wrong_sums = 0, wrong = 0;
    std::pair<std::vector<Processors>, std::vector<Processors>> of_threads;
    std::jthread user([&] { of_threads = sum_in_a_region(busy, wrong_sums); });
    std::jthread timer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      busy = false;
    });
    wrong = wrong_calls(busy, bind, right);
    user.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(wrong_sums, 0);
    EXPECT_EQ(of_threads.first, std::vector<Processors>(3, own));
    EXPECT_EQ(of_threads.second, std::vector<Processors>(3, own));
    EXPECT_EQ(usable_processors(), own);
  }
}

// ---- a user's products

using Dgemm = void (*)(int order, int transa, int transb, int m, int n, int k, double alpha, const double* a,
                       int lda, const double* b, int ldb, double beta, double* c, int ldc);
Dgemm users_dgemm() {
  for (const char* name : {"libopenblasp.so.0", "libopenblaso.so.0", "libopenblas.so.0"})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      if (void* found = dlsym(library, "cblas_dgemm")) return reinterpret_cast<Dgemm>(found);
  return nullptr;
}

TEST(guest, of_a_process_that_multiplies_by_blas_computes_the_same_and_so_does_the_process) {
  const Dgemm dgemm = users_dgemm();
  if (!dgemm) GTEST_SKIP() << "no OpenBLAS";
  constexpr int n = 120;
  constexpr int row_major = 101, no_transpose = 111;
  std::vector<double> a(n * n), identity(n * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 17);
  for (std::size_t i = 0; i < n; ++i) identity[i * n + i] = 2;
  const Tensor right = expected();
  std::atomic<bool> busy = true;
  int wrong_products = 0;
  std::jthread user([&] {
    std::vector<double> c(n * n);
    while (busy) {
      dgemm(row_major, no_transpose, no_transpose, n, n, n, 0.5, a.data(), n, identity.data(), n, 0, c.data(),
            n);
      wrong_products += c != a;
    }
  });
  std::jthread timer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    busy = false;
  });
  // Products of f64 are OpenBLAS's, too.
  const Array x = Tensor({64, 64}, DType::f64);
  const Machine machine = open_local(line, {.workers = 2});
  const auto square = machine.compile([](const Array& v) { return matmul(v + 1.0, v + 1.0); }, x);
  int wrong = 0;
  while (busy) wrong += square(x).tensor().at(64) != 64;
  wrong += wrong_calls(busy, false, right);
  user.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(wrong_products, 0);
}

}  // namespace
}  // namespace tutti
