// SPDX-License-Identifier: Apache-2.0
// Products of several threads at the same time, each thread with operands, a result and scratch of its own,
// against those of one thread, bit for bit. TUTTI_TEST_CALLS says how many a thread, for tools that make them
// slow (make race).
// TUTTI_TEST_OPENBLAS=serial says that the library without locks must be the one that is loaded; none and
// wide say that the file which the loader finds is empty, or has sizes of 64 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "tests/tensor/element_values.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/products/blas.hpp"
#include "tutti/tensor/products/float_product.hpp"
#include "tutti/tensor/products/product.hpp"

namespace tutti {
namespace {

using Bytes = std::vector<std::byte>;

int calls_per_thread() {
  const char* wanted = std::getenv("TUTTI_TEST_CALLS");
  return wanted == nullptr ? 10'000 : std::atoi(wanted);
}

/// Sizes from 1 to 64, more of the small ones, in all transpositions; of every 400 one of each large shape.
std::vector<ProductShape> shapes(int count) {
  constexpr ProductShape large[] = {{1, 200, 130, 170}, {1, 1, 500, 300}, {1, 400, 1, 300}, {2, 90, 70, 200}};
  std::mt19937 random(1);
  const auto size = [&] { return 1 + static_cast<std::int64_t>(random() % 64 * (random() % 65) / 64); };
  std::vector<ProductShape> made;
  for (int i = 0; i < count; ++i) {
    ProductShape shape{1, size(), size(), size()};
    if (i % 100 == 7) shape = large[static_cast<std::size_t>(i / 100) % std::size(large)];
    shape.a_transposed = i % 2 == 1;
    shape.b_transposed = i % 4 >= 2;
    made.push_back(shape);
  }
  return made;
}

template <class T>
Bytes ordinary(std::size_t n, std::uint64_t seed) {
  const std::vector<T> values = spread_values<T>(n, seed);
  Bytes made(n * sizeof(T));
  std::memcpy(made.data(), values.data(), made.size());
  return made;
}

Bytes ordinary_values(DType dtype, std::size_t n, std::uint64_t seed) {
  if (dtype == DType::i32) return ordinary<std::int32_t>(n, seed);
  if (dtype == DType::f64) return ordinary<double>(n, seed);
  if (dtype == DType::complex128) return ordinary<double>(2 * n, seed);
  if (dtype == DType::f32) return ordinary<float>(n, seed);
  if (dtype == DType::complex64) return ordinary<float>(2 * n, seed);
  const Bytes wide = ordinary<float>(n, seed);
  const std::byte* const from[] = {wide.data()};
  Bytes made(n * bytes_per_element(dtype));
  convert_kernel(DType::f32, dtype)(made.data(), from, static_cast<std::int64_t>(n));
  return made;
}

/// A product and what one thread needs to compute it. Threads share `product`, as workers do.
struct Job {
  Job(DType dtype, const ProductShape& s, std::shared_ptr<const Product> shared, std::uint64_t seed)
      : shape(s),
        product(std::move(shared)),
        a(ordinary_values(dtype, static_cast<std::size_t>(s.batch * s.m * s.k), seed)),
        b(ordinary_values(dtype, static_cast<std::size_t>(s.batch * s.k * s.n), seed + 1)),
        c(static_cast<std::size_t>(s.batch * s.m * s.n) * bytes_per_element(dtype)),
        scratch(product->scratch_bytes()),
        want(c.size()) {
    compute();
    want = c;
  }

  // memset and memcmp: a short way from call to call lets threads meet inside the library more often.
  void compute() {
    std::memset(c.data(), 0xff, c.size());
    product->run(c.data(), a.data(), b.data(), scratch.data());
  }
  bool is_as_wanted() const { return std::memcmp(c.data(), want.data(), c.size()) == 0; }

  ProductShape shape;
  std::shared_ptr<const Product> product;
  Bytes a, b, c, scratch, want;
};

std::string described(const ProductShape& s) {
  return std::to_string(s.batch) + " x " + std::to_string(s.m) + 'x' + std::to_string(s.k) + 'x' +
         std::to_string(s.n) + (s.a_transposed ? " aT" : "") + (s.b_transposed ? " bT" : "");
}

/// How many of a thread's results have other bits than alone, and which was the first.
struct Differences {
  int count = 0;
  std::string first;
};

Differences differences(std::vector<Job>& jobs, int calls) {
  Differences found;
  for (int call = 0; call < calls; ++call) {
    Job& job = jobs[static_cast<std::size_t>(call) % jobs.size()];
    job.compute();
    if (job.is_as_wanted()) continue;
    if (found.count++ == 0) found.first = described(job.shape);
  }
  return found;
}

/// Lets threads go when all are there. Of a mutex, which tools that look for races know; atomics they do not.
class Start {
 public:
  explicit Start(int threads) : awaited_(threads) {}
  void wait() {
    std::unique_lock lock(mutex_);
    if (--awaited_ == 0) all_here_.notify_all();
    all_here_.wait(lock, [this] { return awaited_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int awaited_;
};

void expect_that_threads_do_not_disturb_each_other(DType dtype, int threads) {
  use_one_thread_for_products();
  const int calls = calls_per_thread();
  std::vector<std::vector<Job>> jobs(static_cast<std::size_t>(threads));
  std::uint64_t seed = 0;
  for (const ProductShape& shape : shapes(std::min(calls, 400))) {
    const auto product = std::make_shared<const Product>(dtype, shape);
    for (std::vector<Job>& own : jobs) own.emplace_back(dtype, shape, product, seed += 2);
  }
  std::vector<Differences> found(jobs.size());
  Start start(threads);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < jobs.size(); ++t)
    running.emplace_back([&, t] {
      use_one_thread_for_products();
      start.wait();
      found[t] = differences(jobs[t], calls);
    });
  for (std::thread& thread : running) thread.join();
  for (const Differences& of_thread : found)
    EXPECT_EQ(of_thread.count, 0) << "of " << calls << " products of " << name(dtype) << ", first "
                                  << of_thread.first;
}

class product_threads : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(all, product_threads,
                         testing::Values(DType::f64, DType::complex64, DType::complex128,  // OpenBLAS
                                         DType::f32, DType::bf16,                          // oneDNN
                                         DType::f16, DType::i32),  // with scratch on every processor
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

TEST_P(product_threads, two_at_a_time_give_the_bits_of_one) {
  expect_that_threads_do_not_disturb_each_other(GetParam(), 2);
}

TEST_P(product_threads, four_at_a_time_give_the_bits_of_one) {
  expect_that_threads_do_not_disturb_each_other(GetParam(), 4);
}

/// The library that the loader finds is no library, or one whose sizes are integers of 64 bits.
bool fits_no_library() {
  const char* wanted = std::getenv("TUTTI_TEST_OPENBLAS");
  return wanted != nullptr && (wanted == std::string("none") || wanted == std::string("wide"));
}

std::string error_of_product(const ProductShape& shape) {
  try {
    const Product product(DType::f64, shape);
    return "";
  } catch (const Error& error) {
    return std::string(error.label()) + ": " + error.message();
  }
}

TEST(blas, has_buffers_for_callers_on_every_number_of_processors) {
  const std::string debian = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64";
  EXPECT_EQ(most_blas_callers(debian, 0), 128);
  EXPECT_EQ(most_blas_callers(debian, 7), 121);
  EXPECT_EQ(most_blas_callers(debian, 49), 79);
  EXPECT_EQ(most_blas_callers(debian, 50), 78);
  EXPECT_EQ(most_blas_callers(debian, 63), 65);
  EXPECT_EQ(most_blas_callers("OpenBLAS 0.3.21 MAX_THREADS=4 Zen", 3), 47) << "50 buffers at least";
  // A library that says nothing of use has started its threads all the same.
  for (const char* config :
       {"", "SINGLE_THREADED", "MAX_THREADS", "MAX_THREADS=", "MAX_THREADS=x", "MAX_THREADS=-8",
        "MAX_THREADS=99999999999999999999", "MAX_THREADS=2000000000"}) {
    EXPECT_EQ(most_blas_callers(config, 0), 50) << config;
    EXPECT_EQ(most_blas_callers(config, 24), 26) << config;
    EXPECT_EQ(most_blas_callers(config, 50), 52) << config;
    EXPECT_EQ(most_blas_callers(config, 127), 129) << config;
  }
}

TEST(blas, is_refused_where_no_library_fits) {
  if (!fits_no_library()) GTEST_SKIP() << "TUTTI_TEST_OPENBLAS is not none or wide";
  const Product of_f32(DType::f32, {1, 2, 2, 2});
  EXPECT_EQ(error_of_product({1, 0, 2, 2}), "");
  const std::string reason = std::getenv("TUTTI_TEST_OPENBLAS") == std::string("none")
                                 ? "file too short"
                                 : "its sizes are integers of 64 bits: OpenBLAS 0.3.99 USE64BITINT";
  for (int time = 0; time < 2; ++time) {
    const std::string error = error_of_product({1, 2, 2, 2});
    EXPECT_EQ(error.find("R004: no OpenBLAS can be loaded, which computes products of f64"), 0U) << error;
    EXPECT_NE(error.find(reason), std::string::npos) << error;
  }
}

TEST(blas, is_the_library_that_the_environment_asks_for) {
  const char* wanted = std::getenv("TUTTI_TEST_OPENBLAS");
  if (wanted == nullptr) GTEST_SKIP() << "TUTTI_TEST_OPENBLAS is not set";
  if (fits_no_library()) GTEST_SKIP() << "the library is unfit";
  EXPECT_EQ(blas().is_serialised(), std::string(wanted) == "serial") << blas().config;
}

TEST(blas, says_in_its_own_words_which_library_is_loaded) {
  if (fits_no_library()) GTEST_SKIP() << "the library is unfit";
  EXPECT_EQ(blas().config.substr(0, 9), "OpenBLAS ") << blas().config;
  EXPECT_EQ(blas().is_serialised(), blas().config.find("SINGLE_THREADED") != std::string::npos)
      << blas().config;
}

}  // namespace
}  // namespace tutti
