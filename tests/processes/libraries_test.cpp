// SPDX-License-Identifier: Apache-2.0
// Some libraries crash, end the process or hang if they get no memory. Tutti refuses instead of calling them
// then.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "tests/processes/child_ending.hpp"
#include "tests/processes/counted_memory.hpp"
#include "tests/support/sanitizer.hpp"
#include "tutti/base/error.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/tensor/products/blas.hpp"
#include "tutti/tensor/products/blas_library.hpp"
#include "tutti/tensor/products/product.hpp"
#include "tutti/tensor/tensor.hpp"

extern "C" int omp_get_max_threads();

namespace tutti {
namespace {

void allow_more_bytes(std::size_t bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<std::size_t>(getpagesize()) + bytes;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
}

/// How a process ends that does this.
std::string ending_of(const std::function<void()>& act) {
  return ending_of_child([&] {
    try {
      act();
    } catch (const Error& error) {
      _exit(error.code() == Code::memory ? 5 : 99);
    } catch (const std::bad_alloc&) {  // for the message
      _exit(5);
    } catch (...) {
      _exit(98);
    }
    _exit(0);
  });
}

class little_room : public testing::Test {
 protected:
  void SetUp() override {
    if (has_sanitizer()) GTEST_SKIP() << "sanitizers reserve terabytes of address space";
    load_blas_library();  // a child has no threads of it then, which take buffers sooner or later
  }
};

constexpr std::size_t mib = 1 << 20;

struct Squares {
  Squares(DType dtype, std::int64_t side)
      : product(dtype, {.m = side, .n = side, .k = side}),
        a({side, side}, dtype),
        c({side, side}, dtype),
        scratch({static_cast<std::int64_t>(product.scratch_bytes())}, DType::u8) {}
  void multiply() { product.run(c.mutable_bytes(), a.data(), a.data(), scratch.mutable_bytes()); }

  Product product;
  Tensor a, c, scratch;
};

TEST_F(little_room, refuses_products_by_onednn_when_they_are_made) {
  EXPECT_EQ(ending_of([] {
              allow_more_bytes(mib / 4);
              Squares squares(DType::f32, 300);
            }),
            "status 5");
}

// ONEDNN_MAX_CPU_ISA: by other kernels, too, which write their code at the first call.
TEST_F(little_room, is_enough_for_products_by_onednn_that_were_made_before) {
  for (const char* instructions : {"ALL", "AVX2", "SSE41"})
    EXPECT_EQ(ending_of([&] {
                setenv("ONEDNN_MAX_CPU_ISA", instructions, 1);
                Squares squares(DType::f32, 40);
                allow_more_bytes(mib / 4);
                squares.multiply();
              }),
              "status 0")
        << instructions;
}

// Its objects for a call were made before, too.
TEST(product, takes_no_more_memory_at_its_first_call_than_at_others) {
  Squares squares(DType::f32, 40);
  auto allocations_of_a_call = [&] {
    count_from_here();
    squares.multiply();
    return allocations();
  };
  const std::size_t first = allocations_of_a_call();
  EXPECT_EQ(first, allocations_of_a_call());
}

/// Fork ends the library's threads. Their buffers are free then, so that nobody would need a new one; and the
/// next call would start them again, each with a buffer.
void forget_threads_of_openblas() {
  const BlasLibrary& library = load_blas_library();
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(library.take_buffer), &info) == 0) return;
  void* const handle = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (void* const threads = dlsym(handle, "blas_num_threads")) *static_cast<int*>(threads) = 1;
  for (int i = 0; i < get_nprocs(); ++i) library.take_buffer(0);
}

/// The threads that fork ended take their buffers now, as threads do that begin to run late.
void let_threads_of_openblas_take_their_buffers() {
  for (int i = 0; i < load_blas_library().own_threads; ++i) load_blas_library().take_buffer(0);
}

TEST_F(little_room, refuses_products_by_openblas_when_they_are_made) {
  EXPECT_EQ(ending_of([] {
              forget_threads_of_openblas();
              allow_more_bytes(100 * mib);
              Squares squares(DType::f64, 300);
              squares.multiply();
            }),
            "status 5");
}

TEST_F(little_room, is_enough_for_products_by_openblas_that_were_made_before) {
  for (DType dtype : {DType::f64, DType::complex64, DType::complex128})
    EXPECT_EQ(ending_of([&] {
                forget_threads_of_openblas();
                Squares squares(dtype, 300);
                allow_more_bytes(100 * mib);
                let_threads_of_openblas_take_their_buffers();
                squares.multiply();
              }),
              "status 0");
}

TEST_F(little_room, is_enough_for_products_by_openblas_on_threads_that_start_later) {
  EXPECT_EQ(ending_of([] {
              forget_threads_of_openblas();
              Squares squares(DType::f64, 300);
              allow_more_bytes(100 * mib);
              for (int i = 0; i < 3; ++i) std::thread([&] { squares.multiply(); }).join();
            }),
            "status 0");
}

// Two threads and one buffer.
TEST_F(little_room, lets_threads_take_turns_at_products_by_openblas) {
  EXPECT_EQ(ending_of([] {
              forget_threads_of_openblas();
              Squares first(DType::f64, 100), second(DType::f64, 100);
              allow_more_bytes(100 * mib);
              let_threads_of_openblas_take_their_buffers();
              auto multiply = [](Squares& squares) {
                for (int i = 0; i < 300; ++i) squares.multiply();
              };
              std::thread other([&] { multiply(first); });
              multiply(second);
              other.join();
            }),
            "status 0");
}

TEST_F(little_room, is_taken_for_one_product_by_openblas_on_each_worker_of_a_team) {
  EXPECT_EQ(ending_of([] {
              forget_threads_of_openblas();
              Team team(2, Team::Use::always);
              std::size_t before = 0, after = 0;
              std::ifstream("/proc/self/statm") >> before;
              Squares squares(DType::f64, 100);
              std::ifstream("/proc/self/statm") >> after;
              const std::size_t wanted = blas().is_serialised() ? 128 * mib : 2 * 128 * mib;
              if ((after - before) * static_cast<std::size_t>(getpagesize()) < wanted) _exit(1);
            }),
            "status 0");
}

/// Ends the process with the status `step` if OpenBLAS has another number of threads.
void expect_threads_of_openblas(int threads, int step) {
  if (load_blas_library().get_num_threads() != threads) _exit(step);
}

/// Before OpenBLAS has a user.
void let_openblas_use_two_threads() {
  load_blas_library().set_num_threads(2);
  if (load_blas_library().get_num_threads() != 2) _exit(77);  // built without threads
}

TEST(openblas, has_its_number_of_threads_again_when_the_last_team_and_the_last_product_are_gone) {
  const std::string ending = ending_of([] {
    let_openblas_use_two_threads();
    auto team = std::make_unique<Team>(1);
    Squares of_f32(DType::f32, 8);
    expect_threads_of_openblas(2, 1);
    auto first = std::make_unique<Squares>(DType::f64, 8);
    expect_threads_of_openblas(1, 2);
    first.reset();
    expect_threads_of_openblas(1, 3);
    auto outlives_the_team = std::make_unique<Squares>(DType::complex64, 8);
    team.reset();
    expect_threads_of_openblas(1, 4);
    outlives_the_team.reset();
    expect_threads_of_openblas(2, 5);
    Squares again(DType::f64, 8);
    expect_threads_of_openblas(1, 6);
  });
  if (ending == "status 77") GTEST_SKIP() << blas().config;
  EXPECT_EQ(ending, "status 0");
}

TEST(openblas, keeps_a_number_of_threads_that_others_set) {
  const std::string ending = ending_of([] {
    let_openblas_use_two_threads();
    {
      Squares squares(DType::f64, 8);
      load_blas_library().set_num_threads(3);
    }
    expect_threads_of_openblas(3, 1);
  });
  if (ending == "status 77") GTEST_SKIP() << blas().config;
  EXPECT_EQ(ending, "status 0");
}

TEST_F(little_room, refuses_a_team_whose_threads_have_no_stack) {
  EXPECT_EQ(ending_of([] {
              allow_more_bytes(20 * mib);
              Team team(64, Team::Use::always);
            }),
            "status 5");
}

// OpenMP would end the process with status 1.
TEST_F(little_room, refuses_work_on_a_thread_that_openmp_has_no_memory_for) {
  EXPECT_EQ(ending_of([] {
              Team team(2, Team::Use::always);
              allow_more_bytes(0);
              team.run([](void*, int) {}, nullptr);
            }),
            "status 5");
}

// Made on one thread, run on another, whose first call of OpenMP is the product. Earlier tests may have
// called OpenMP on the main thread.
TEST_F(little_room, refuses_a_product_on_a_thread_that_openmp_has_no_memory_for) {
  if (omp_get_max_threads() == 1) GTEST_SKIP() << "one processor: nothing to set";
  EXPECT_EQ(ending_of([] {
              std::optional<Squares> squares;
              std::thread([&] { squares.emplace(DType::f32, 40); }).join();
              std::async(std::launch::async, [&] {
                allow_more_bytes(0);
                squares->multiply();
              }).get();
            }),
            "status 5");
}

}  // namespace
}  // namespace tutti
