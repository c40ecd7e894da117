// SPDX-License-Identifier: Apache-2.0
// How much memory a program takes, and what happens when there is no more.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tests/support/timeline_file.hpp"
#include "tutti/base/error.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/run/watch/timeline.hpp"

namespace tutti {
namespace {

using Value = std::shared_ptr<const GlobalArray>;

constexpr std::int64_t large = std::int64_t{16} << 20;  // bytes
constexpr std::int64_t floats = large / 4;

const Mesh& mesh() {
  static const Mesh eight({{"i", 8}});
  return eight;
}
const Axes& axes() { return mesh().axes(); }

/// The bytes of addresses that this process has taken, used or not.
std::int64_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  file >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

Value split(const Tensor& data) {
  return std::make_shared<const GlobalArray>(GlobalArray::distributed(data, {mesh(), {axes()}, {}, {}}));
}

/// The bytes that planning and running a program of one array [elements], split over the devices, takes.
std::int64_t bytes_taken(std::int64_t elements, const std::function<Array(const Array&)>& body,
                         const std::vector<Axes>& out, Storage storage = Storage::by_type) {
  Program program = test_program(mesh(), {{DType::f32, {elements}, {axes()}}},
                                 [&](const Arrays& x) { return Arrays{body(x[0])}; }, {out});
  Team team(1);
  GlobalArrays inputs{split(Tensor({elements}, DType::f32))};
  std::int64_t before = address_space();
  Executable executable(program, mesh(), team, {.plan = {.storage = storage}});
  GlobalArrays results = executable.run(inputs);
  return address_space() - before;
}

Array summed(const Array& x) { return psum(x, axes()); }
Array gathered(const Array& x) { return all_gather(x, axes(), {.tiled = true, .to = invariant}); }

/// Counts addresses. A sanitizer takes more of them than the program.
class memory : public testing::Test {
  void SetUp() override {
    if (address_space() > std::int64_t{1} << 40) GTEST_SKIP() << "a sanitizer has taken most addresses";
  }
};

TEST_F(memory, a_result_that_is_equal_on_all_devices_is_one_buffer) {
  for (std::int64_t taken : {bytes_taken(8 * floats, summed, {}), bytes_taken(floats, gathered, {})}) {
    EXPECT_GE(taken, large);
    EXPECT_LT(taken, 2 * large);
  }
  EXPECT_GE(bytes_taken(8 * floats, summed, {}, Storage::per_device), 8 * large);  // so it would be seen
}

TEST_F(memory, a_result_that_is_copied_together_is_copied_once) {
  auto exchanged = [](const Array& x) { return all_to_all(x, axes(), {.tiled = true}); };
  EXPECT_LT(bytes_taken(floats, exchanged, {axes()}), 2 * large);
}

TEST_F(memory, a_fused_update_takes_its_result_only) {
  auto update = [](const Array& x) { return x * 0.5 - psum(x * x, axes()) * 0.125 + 1.0; };
  EXPECT_LT(bytes_taken(8 * floats, update, {axes()}), 9 * large);
}

// ---- no more memory. In a process of its own, whose only output is what the error says.

void limit_addresses(rlim_t bytes) {
  rlimit allowed{};
  getrlimit(RLIMIT_AS, &allowed);
  allowed.rlim_cur = std::min(bytes, allowed.rlim_max);
  if (setrlimit(RLIMIT_AS, &allowed) != 0) _exit(100);
}
/// From now on.
void allow_only(std::int64_t more_bytes) {
  limit_addresses(static_cast<rlim_t>(address_space() + more_bytes));
}
/// The workers, and the threads of libraries that they start once, are there already.
void allow_only(std::int64_t more_bytes, Team& team) {
  team.run([](void*, int) {}, nullptr);
  allow_only(more_bytes);
}
void print_refusal(const std::function<void()>& body) {
  try {
    body();
    std::fputs("accepted", stderr);
  } catch (const Error& error) {
    std::fputs(std::string(error.label()).append(" ").append(error.what()).c_str(), stderr);
  }
}
void expect(bool holds) {
  if (!holds) std::fputs("; but then another is not as expected", stderr);
}
/// Without a copy.
float element(const Value& value, std::size_t shard) {
  const ShardedBuffer& buffer = value->buffer();
  return reinterpret_cast<const float*>(buffer.base.get() + shard * buffer.shard_stride)[5];
}

class NoMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (address_space() > std::int64_t{1} << 40) GTEST_SKIP() << "a sanitizer has taken most addresses";
  }
  /// A program of one array, split over the devices; its line is model.cpp:7.
  static Program program(const std::function<Array(const Array&)>& body) {
    return test_program(mesh(), {{DType::f32, {floats}, {axes()}}},
                        [&](const Arrays& x) {
                          auto place = Builder::current().on_behalf_of({{"model.cpp", 7, 0}});
                          return Arrays{body(x[0])};
                        },
                        {{axes()}});
  }
  static Array plus_one(const Array& x) { return x + 1.0; }
  static void expect_says(void (*body)(), const std::string& text) {
    EXPECT_EXIT(
        {
          body();
          _exit(0);
        },
        testing::ExitedWithCode(0), "^" + text + "$");
  }
};

TEST_F(NoMemory, for_a_result_names_the_equation_that_makes_it_and_the_next_call_works) {
  expect_says(
      [] {
        Team team(2);
        Executable executable(program(plus_one), mesh(), team);
        GlobalArrays zeros{split(Tensor({floats}, DType::f32))};
        Value first = executable.run(zeros)[0], second = executable.run(zeros)[0];
        allow_only(large / 2, team);
        print_refusal([&] { executable.run(zeros); });
        expect(element(zeros[0], 0) == 0 && element(first, 0) == 1 && element(second, 7) == 1);
        const std::byte* memory = first->buffer().base.get();
        first.reset();
        first = executable.run(zeros)[0];
        expect(first->buffer().base.get() == memory && element(first, 3) == 1);
      },
      "R003 model.cpp:7: add: no memory for 16845312 bytes; compute in parts, or keep less");
}

TEST_F(NoMemory, is_needed_for_a_result_over_an_argument_that_is_given_away) {
  expect_says(
      [] {
        Team team(2);
        Executable executable(program(plus_one), mesh(), team);
        GlobalArrays x{split(Tensor({floats}, DType::f32))};
        Value kept = executable.run(x)[0];
        allow_only(large / 2, team);
        for (int i = 0; i < 5; ++i) x = executable.run(std::move(x));
        expect(element(x[0], 0) == 5 && element(kept, 7) == 1);
      },
      "");
}

TEST_F(NoMemory, for_the_copy_of_an_argument_names_it_and_the_next_call_works) {
  expect_says(
      [] {
        Team team(2);
        Executable executable(program(plus_one), mesh(), team);
        GlobalArrays on_host{std::make_shared<const GlobalArray>(Tensor({floats}, DType::f32))},
            placed{split(Tensor({floats}, DType::f32))};
        executable.run(placed);
        allow_only(large / 2, team);
        print_refusal([&] { executable.run(on_host); });
        expect(element(executable.run(placed)[0], 7) == 1 && element(on_host[0], 0) == 0);
      },
      "R003 argument 0: no memory for 16845312 bytes; compute in parts, or keep less");
}

TEST_F(NoMemory, for_buffers_names_the_equation_with_the_largest_value) {
  expect_says(
      [] {
        Team team(2);
        Program heavy = program([](const Array& x) { return x * 2.0 + reduce_sum(x); });
        allow_only(large / 2, team);
        print_refusal([&] { Executable(heavy, mesh(), team, {.plan = {.fusion = Fusion::off}}); });
      },
      "R003 model.cpp:7: mul: no memory for [0-9]+ bytes; compute in parts, or keep less");
}

TEST_F(NoMemory, for_scratch_names_the_equation_that_needs_most) {
  expect_says(
      [] {
        Team team(2);
        Program hungry = program([](const Array& x) {
          return Builder::current().add(Opaque{[](const kernel::Unit&) {}, 1000, 2 * large}, {x})[0];
        });
        allow_only(large / 2, team);
        print_refusal([&] { Executable(hungry, mesh(), team); });
      },
      "R003 model.cpp:7: opaque: no memory for 33554432 bytes; compute in parts, or keep less");
}

TEST_F(NoMemory, for_a_trip_of_a_loop_names_the_equation_in_it) {
  expect_says(
      [] {
        Team team(2);
        Program looped = program([](const Array& x) {
          return fori_loop(0, 3, [](const Array&, const Array& c) { return c * 2.0 + c; }, x);
        });
        allow_only(large / 2, team);
        print_refusal([&] { Executable(looped, mesh(), team, {.plan = {.fusion = Fusion::off}}); });
      },
      "R003 model.cpp:7: mul: no memory for [0-9]+ bytes; compute in parts, or keep less");
}

// ---- nor for what is recorded of a call

enum class Short { before_the_trips, after_them };
/// 250,000 trips that a timeline records, on one worker; from before or after them memory is short, until the
/// call has given its result.
void record(Short when, const std::function<void(Timeline&, const std::string&)>& look) {
  constexpr std::int64_t size = 6;
  Opaque shortage{[](const kernel::Unit& unit) {
    allow_only(0);
    while (std::malloc(1 << 20) != nullptr) {  // what was freed is no large piece either
    }
    std::memcpy(unit.results[0], unit.operands[0], size * sizeof(float));
  }};
  auto body = [&](const Arrays& x) {
    auto use_up = [&](const Array& y) { return Builder::current().add(shortage, {y})[0]; };
    auto trip = [](const Array&, const Array& c) { return c + 1.0; };
    Array first = when == Short::before_the_trips ? use_up(x[0]) : x[0];
    Array last = fori_loop(0, 250'000, trip, first);
    return Arrays{when == Short::after_them ? use_up(last) : last};
  };
  Team team(1);
  TemporaryName file("short_of_memory.json");
  Timeline timeline(team.workers(), file.path());
  Executable executable(test_program(Mesh(), {{DType::f32, {size}}}, body, {}), Mesh(), team,
                        {.timeline = &timeline});
  GlobalArrays x{std::make_shared<const GlobalArray>(Tensor({size}, DType::f32))};
  x = executable.run(std::move(x));
  expect(element(x[0], 0) == 250'000);
  limit_addresses(RLIM_INFINITY);
  look(timeline, file.path());
}

TEST_F(NoMemory, for_the_events_of_a_call_leaves_them_out) {
  expect_says(
      [] {
        record(Short::before_the_trips, [](Timeline& timeline, const std::string& file) {
          auto in_file = std::ssize(read_timeline(file, 1).events);
          expect(in_file + timeline.left_out() > 250'000 && timeline.left_out() > 0);
        });
      },
      "");
}

TEST_F(NoMemory, for_the_notes_of_a_call_is_what_its_trace_ends_by) {
  expect_says(
      [] {
        record(Short::after_them, [](Timeline& timeline, const std::string& file) {
          expect(timeline.failure() == "'" + file + "' cannot be written: Cannot allocate memory");
          expect(timeline.left_out() > 250'000 && read_timeline(file, 1).events.empty());
        });
      },
      "");
}

}  // namespace
}  // namespace tutti
