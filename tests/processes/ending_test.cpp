// SPDX-License-Identifier: Apache-2.0
// Programs and machines while their process ends, in the child of a fork, and where it may have few
// threads.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "tests/processes/child_ending.hpp"
#include "tests/support/command.hpp"
#include "tests/support/sanitizer.hpp"
#include "tutti/devices/carrier.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/tutti.hpp"

static bool is_forked = false;
/// The leak sanitizer asks for this at the end of a process. In the child of a fork it looks for the threads
/// of the parent, in vain.
extern "C" int __lsan_is_turned_off() { return is_forked ? 1 : 0; }

namespace tutti {
namespace {

using namespace std::chrono_literals;

/// The last static that is destroyed: it is made before all others. Its destructor does what a child asks
/// for.
struct LastStatic {
  std::function<void()> act;
  ~LastStatic() {
    if (act) act();
  }
};
[[gnu::init_priority(101)]] LastStatic last_static;

/// How a child process ends that does this. It ends as main does, with the destructors of statics.
std::string ending_of(const std::function<void()>& act) {
  return ending_of_child([&] {
    is_forked = true;
    try {
      act();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(98);
    }
    std::exit(0);
  });
}

/// The label of the error that this throws, "R004"; empty if it throws none.
std::string label_of(const std::function<void()>& act) {
  try {
    act();
    return "";
  } catch (const Error& error) {
    return std::string(error.label());
  }
}

/// Ends a child that finds something wrong.
void expect_in_child(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  _exit(97);
}

Tensor numbers(std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return {{n}, values};
}

/// Numbers from -2 to 2, whose sums are exact.
Tensor small_numbers(const Shape& shape) {
  Tensor all(shape, DType::f32);
  for (std::int64_t i = 0; i < shape.elements(); ++i)
    all.mutable_data<float>()[i] = static_cast<float>(i % 5 - 2);
  return all;
}

/// x + the product of x, as a row, and a matrix of ones + the sum over all devices.
auto compiled(const Machine& machine, std::int64_t n) {
  auto body = [](const Array& x) {
    const std::int64_t size = x.shape()[0];
    const Array ones_of_size = ones({size, size}, DType::f32);
    return x + matmul(x, ones_of_size) + psum(x, "i");
  };
  return machine.compile(shard_map(body, {.mesh = machine.mesh(), .in = P("i"), .out = P("i")}),
                         abstract({n}, DType::f32));
}

/// compiled() on two devices.
bool is_right(const Array& result, std::int64_t n) {
  const std::vector<float> found = result.values<float>();
  for (std::int64_t i = 0; i < n; ++i) {
    float sum = 0;
    for (std::int64_t k = i < n / 2 ? 0 : n / 2; k < (i < n / 2 ? n / 2 : n); ++k)
      sum += static_cast<float>(k);
    const auto other = static_cast<float>(i % (n / 2) + i % (n / 2) + n / 2);
    if (found[static_cast<std::size_t>(i)] != static_cast<float>(i) + sum + other) return false;
  }
  return true;
}

const Mesh& two_devices() {
  static const Mesh mesh({{"i", 2}});
  return mesh;
}

// A thread that still runs finds all tables as they were. The last static gives it 10 ms in which to find
// out.
class ending_process : public testing::Test {
 protected:
  static void end_beside(const std::function<void()>& work) {
    std::atomic<int> rounds = 0;
    std::thread([&, work] {
      for (;; ++rounds) work();
    }).detach();
    while (rounds < 2) std::this_thread::sleep_for(100us);
    last_static.act = [] { std::this_thread::sleep_for(10ms); };
    std::exit(0);  // while `rounds`, on this stack, lives
  }
};

TEST_F(ending_process, leaves_threads_alone_that_call_programs) {
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(ending_of([] {
                const Machine machine = open_local(two_devices());
                const auto run = compiled(machine, 8);
                end_beside([&] { run(numbers(8)); });
              }),
              "status 0");
}

// OpenBLAS frees its buffers, after all statics.
TEST_F(ending_process, leaves_threads_alone_that_multiply_in_f64) {
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(ending_of([] {
                const Machine machine = open_local(Mesh());
                const auto square = machine.compile([](const Array& x) { return matmul(x, x); },
                                                    abstract({64, 64}, DType::f64));
                const Tensor matrix({64, 64}, std::vector<double>(64 * 64, 1.0));
                end_beside([&] { square(matrix); });
              }),
              "status 0");
}

TEST_F(ending_process, leaves_threads_alone_that_compile) {
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(ending_of([] {
                const Machine machine = open_local(two_devices());
                end_beside([&, n = 8]() mutable { compiled(machine, n += 2); });
              }),
              "status 0");
}

TEST_F(ending_process, lets_late_destructors_use_arrays_and_programs) {
  EXPECT_EQ(ending_of([] {
              const Machine machine = open_local(two_devices());
              auto run = compiled(machine, 8);
              const Array array = machine.place(numbers(8), P("i"));
              last_static.act = [=] {
                expect_in_child(to_string(array.type()) == "f32[8]", "the array has another type");
                expect_in_child(is_right(run(array), 8), "the program gives other numbers");
                auto twice = machine.compile([](const Array& x) { return x + x; }, array);
                expect_in_child(twice(array).values<float>()[7] == 14, "a new program gives other numbers");
              };
            }),
            "status 0");
}

// Code of oneDNN that rounds to bf16 is destroyed before.
TEST_F(ending_process, lets_late_destructors_call_gradients_of_convolutions) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
    EXPECT_EQ(ending_of([dtype] {
                const Machine machine = open_local(Mesh({{"i", 1}}));
                const auto slopes = [dtype](const Array& x, const Array& kernel) {
                  const auto loss = [&](const Array& k) {
                    return sum(convert(convolution(convert(x, dtype), k), DType::f32));
                  };
                  return convert(grad(loss)(convert(kernel, dtype)), DType::f32);
                };
                const Tensor x = small_numbers({4, 9, 9, 3}), kernel = small_numbers({3, 3, 3, 5});
                const auto run = machine.compile(slopes, x, kernel);
                const std::vector<float> found = run(x, kernel).template values<float>();
                last_static.act = [=] {
                  expect_in_child(run(x, kernel).template values<float>() == found,
                                  "the program gives other numbers");
                };
              }),
              "status 0")
        << name(dtype);
}

// oneDNN destroys what it makes products of, also where they would come later.
TEST_F(ending_process, refuses_late_destructors_a_new_product) {
  EXPECT_EQ(ending_of([] {
              const Machine machine = open_local(two_devices());
              compiled(machine, 8);
              last_static.act = [=] {
                expect_in_child(label_of([&] { compiled(machine, 10); }) == "R004", "it compiles");
              };
            }),
            "status 0");
}

// A static with a destructor needs NeverDestroyed. The sources that call oneDNN close its gate; the others
// include Asio's statics.
TEST(library, destroys_no_statics_of_its_own) {
  if (has_sanitizer()) GTEST_SKIP() << "sanitizers note the end of the process themselves";
  // The libraries that users link; the tool may destroy what it likes.
  const std::string folder = program_folder() + "/../",
                    archives = folder + "libtutti.a " + folder + "libtutti_kernels.a";
  const Finished all = run_command("sh -c 'nm -A " + archives + " | grep -c __cxa_guard_acquire'");
  ASSERT_GT(std::atoi(all.out.c_str()), 10) << all.err;
  const Finished found =
      run_command("sh -c 'nm -A " + archives + " | grep -w __cxa_atexit | cut -d: -f2 | sort -u'");
  EXPECT_EQ(found.out, "connection.cpp.o\nfloat_product.cpp.o\nonednn_convolution.cpp.o\nonednn_use.cpp.o\n"
                       "store_server.cpp.o\n");
}

class forked_child : public testing::Test {
 protected:
  Machine machine_ = open_local(two_devices(), {.workers = 2});
};

TEST_F(forked_child, is_refused_what_needs_the_threads_of_its_parent) {
  const auto run = compiled(machine_, 8);
  EXPECT_EQ(ending_of([&] {
              const std::map<int, Tensor> parts{{0, numbers(4)}, {1, numbers(4)}};
              expect_in_child(label_of([&] { run(numbers(8)); }) == "R004", "a call");
              expect_in_child(label_of([&] { compiled(machine_, 10); }) == "R004", "compile");
              expect_in_child(label_of([&] { machine_.place(numbers(8), P("i")); }) == "R004", "place");
              expect_in_child(label_of([&] { machine_.from_shards({8}, P("i"), parts); }) == "R004",
                              "from_shards");
              expect_in_child(label_of([&] { run.explain(); }) == "R004", "explain");
            }),
            "status 0");
}

TEST_F(forked_child, is_refused_while_the_parent_calls) {
  const auto run = compiled(machine_, 8);
  std::atomic<bool> stops = false;
  std::thread caller([&] {
    while (!stops) run(numbers(8));
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(ending_of([&] { expect_in_child(label_of([&] { run(numbers(8)); }) == "R004", "a call"); }),
              "status 0");
  stops = true;
  caller.join();
}

TEST_F(forked_child, has_machines_of_its_own_while_the_parent_compiles) {
  std::atomic<bool> stops = false;
  std::thread compiler([&] {
    for (std::int64_t n = 8; !stops; n = n < 500 ? n + 2 : 8) compiled(machine_, n);
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(ending_of([] {
                const Machine machine = open_local(Mesh({{"i", 2}}), {.workers = 2});
                expect_in_child(is_right(compiled(machine, 8)(numbers(8)), 8),
                                "the program gives other numbers");
              }),
              "status 0");
  stops = true;
  compiler.join();
}

// Its thread waits for work at the time of the fork.
TEST(a_carrier, is_left_alone_in_the_child_of_a_fork) {
  auto carrier = std::make_unique<Carrier>();
  carrier->wait(carrier->hand_over([] {}));
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(ending_of([&] { carrier.reset(); }), "status 0");
}

// Threads of the parent are in OpenBLAS at the time of the fork, and never leave it in the child. The parent
// is a child itself: other tests count buffers of OpenBLAS from none.
TEST(forked_process, multiplies_in_f64_while_its_parent_does) {
  const auto square = [](const Machine& machine) {
    auto body = [](const Array& x) { return matmul(x, x); };
    return machine.compile(shard_map(body, {.mesh = machine.mesh(), .in = P("i"), .out = P("i")}),
                           abstract({800, 400}, DType::f64));
  };
  const Tensor matrix({800, 400}, std::vector<double>(800 * 400, 1.0));
  EXPECT_EQ(ending_of([&] {
              const Machine machine = open_local(two_devices(), {.workers = 2});
              const auto run = square(machine);
              std::atomic<bool> stops = false;
              std::atomic<int> rounds = 0;
              std::thread caller([&] {
                for (; !stops; ++rounds) run(matrix);
              });
              while (rounds < 2) std::this_thread::sleep_for(100us);
              for (int i = 0; i < 10; ++i) {
                std::this_thread::sleep_for(1ms * i);
                const std::string ending = ending_of([&] {
                  const Machine own = open_local(two_devices(), {.workers = 2});
                  expect_in_child(square(own)(matrix).values<double>()[0] == 400,
                                  "the program gives other numbers");
                });
                expect_in_child(ending == "status 0", ending.c_str());
              }
              stops = true;
              caller.join();
            }),
            "status 0");
}

/// Lets this child, and threads that it starts, start no thread.
void forbid_threads() {
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
    _exit(96);  // the limit does not hold for root
  const rlimit none{1, 1};
  if (setrlimit(RLIMIT_NPROC, &none) != 0) _exit(96);
}

TEST(without_threads, a_machine_has_one_worker_and_says_so) {
  if (Team::default_workers() < 2) GTEST_SKIP() << "one processor";
  EXPECT_EQ(ending_of([] {
              forbid_threads();
              const Machine machine = open_local(two_devices());
              expect_in_child(machine.workers() == 1, "it has other workers");
              const auto run = compiled(machine, 8);
              expect_in_child(is_right(run(numbers(8)), 8), "the program gives other numbers");
              expect_in_child(run.explain().find(
                                  "2 worker threads were wanted, but the system starts no more") !=
                                  std::string::npos,
                              "explain() does not say so");
            }),
            "status 0");
}

TEST(without_threads, workers_that_the_user_asks_for_are_refused) {
  EXPECT_EQ(ending_of([] {
              forbid_threads();
              expect_in_child(label_of([] { open_local(two_devices(), {.workers = 2}); }) == "R004",
                              "it opens");
            }),
            "status 0");
}

TEST(small_stacks, are_an_error_of_one_line) {
  if (has_sanitizer()) GTEST_SKIP() << "sanitizers take more stack";
  for (const char* command : {"digits --steps 1", "tutti explain psum"}) {
    const Finished run = run_command("sh -c 'ulimit -s 64; exec " + program_folder() + "/" + command + "'");
    EXPECT_EQ(run.status, 5) << command;
    EXPECT_NE(run.err.find(": error[R003]: a stack may have 64 KiB here"), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

}  // namespace
}  // namespace tutti
