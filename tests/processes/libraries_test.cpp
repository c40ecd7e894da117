// SPDX-License-Identifier: Apache-2.0
// Some libraries crash, end the process or hang if they get no memory. Tutti refuses instead of calling them then.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <new>

#include "tests/processes/counted_memory.hpp"
#include "tests/processes/sanitizer.hpp"
#include "tutti/base/error.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/tensor/product.hpp"
#include "tutti/tensor/tensor.hpp"

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
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
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
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

class little_room : public testing::Test {
 protected:
  void SetUp() override {
    if (has_sanitizer) GTEST_SKIP() << "sanitizers reserve terabytes of address space";
  }
};

constexpr std::size_t mib = 1 << 20;

struct Squares {
  Squares(DType dtype, std::int64_t side)
      : product(dtype, {.m = side, .n = side, .k = side}),
        a(dtype, {side, side}),
        c(dtype, {side, side}),
        scratch(DType::u8, {static_cast<std::int64_t>(product.scratch_bytes())}) {}
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

TEST_F(little_room, refuses_products_by_openblas_when_they_are_made) {
  EXPECT_EQ(ending_of([] {
              allow_more_bytes(100 * mib);
              Squares squares(DType::f64, 300);
              squares.multiply();
            }),
            "status 5");
}

TEST_F(little_room, refuses_products_by_openblas_on_a_second_thread) {
  EXPECT_EQ(ending_of([] {
              Squares squares(DType::f64, 300);
              squares.multiply();
              Team team(2, Team::Use::always);
              team.run([](void*, int) {}, nullptr);
              allow_more_bytes(100 * mib);
              auto multiply_on_1 = [](void* context, int worker) {
                if (worker == 1) static_cast<Squares*>(context)->multiply();
              };
              team.run(multiply_on_1, &squares);
            }),
            "status 5");
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

}  // namespace
}  // namespace tutti
