// SPDX-License-Identifier: Apache-2.0
// MachineOptions::memory: programs that take more in all are refused when they are compiled.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/support/many_processes.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh line({{"i", 4}});

Tensor data(std::int64_t size) { return Tensor({size}, DType::f32); }
auto on_line(const std::function<Array(Array)>& body) {
  return shard_map(body, {.mesh = line, .in = P("i"), .out = P("i")});
}
Report::Memory memory_of(const std::function<Array(Array)>& body, std::int64_t size) {
  const Report report = open_local(line, {.workers = 1}).compile(on_line(body), data(size)).report();
  return std::get<Report::StepPlan>(report.outcome).memory;
}
std::string refusal_by(std::int64_t cap, const std::function<Array(Array)>& body, std::int64_t size,
                       Where test = Where::here()) {
  const Machine machine = open_local(line, {.workers = 1, .memory = cap});
  return refusal([&] { machine.compile(on_line(body), data(size)); }, test);
}
std::string says(std::int64_t total, const std::string& op, const std::string& largest) {
  return fmt::format(
      "R003 {{file}}:{{line}}: {}: a call takes {} bytes in all, but MachineOptions::memory allows {}; the "
      "largest value, {} bytes; compute in parts, or allow more",
      op, total, total - 1, largest);
}

TEST(memory_cap, counts_arguments_and_results) {
  const std::function<Array(Array)> body = [](const Array& x) {
    return x * 2.0F;  // refused
  };
  const Report::Memory memory = memory_of(body, 4096);
  EXPECT_GE(memory.arguments + memory.results, 2 * 16384);
  EXPECT_LT(memory.arena + memory.scratch, memory.arguments);
  EXPECT_EQ(refusal_by(memory.total(), body, 4096), "accepted");
  EXPECT_EQ(refusal_by(memory.total() - 1, body, 4096),
            says(memory.total(), "mul", "f32[1024]{V:i}, takes 16384"));
}

TEST(memory_cap, names_the_equation_with_the_largest_value) {
  const std::function<Array(Array)> body = [](const Array& x) {
    const Array rows = broadcast_to(reshape(cumsum(x, 0), {1, 1024}), {8, 1024});
    const Array sums = cumsum(rows, 0);  // refused
    return reduce_max(sums, {0});
  };
  const Report::Memory memory = memory_of(body, 4096);
  EXPECT_GT(memory.arena, memory.arguments + memory.results);
  EXPECT_EQ(refusal_by(memory.total(), body, 4096), "accepted");
  EXPECT_EQ(refusal_by(memory.total() - 1, body, 4096),
            says(memory.total(), "cumsum", "f32[8,1024]{V:i}, takes 165120"));
}

TEST(memory_cap, counts_what_a_loop_has_inside) {
  const std::function<Array(Array)> body = [](const Array& x) {
    const auto trip = [](const Array&, const Array& c) {
      const Array rows = broadcast_to(reshape(cumsum(c, 0), {1, 1024}), {8, 1024});
      const Array sums = cumsum(rows, 0);  // refused
      return reduce_max(sums, {0});
    };
    return fori_loop(0, 3, trip, x);
  };
  const Report::Memory memory = memory_of(body, 4096);
  EXPECT_GT(memory.inside, 0);
  EXPECT_EQ(refusal_by(memory.total(), body, 4096), "accepted");
  EXPECT_EQ(refusal_by(memory.total() - 1, body, 4096),
            says(memory.total(), "cumsum", "f32[8,1024]{V:i}, takes 165120"));
}

// The machine could not allocate it: nobody asks for the memory before it is compared with the cap.
TEST(memory_cap, is_compared_before_memory_is_allocated) {
  const std::function<Array(Array)> body = [](const Array& x) {
    const Array rows = broadcast_to(reshape(x, {1, 1024}), {std::int64_t{1} << 30, 1024});
    const Array sums = cumsum(rows, 0);  // refused
    return reduce_max(sums, {0});
  };
  const std::string said = refusal_by(1 << 30, body, 4096);
  EXPECT_NE(said.find("bytes, but MachineOptions::memory allows 1073741824; the largest value, "
                      "f32[1073741824,1024]{V:i}, takes"),
            std::string::npos)
      << said;
}

// Each of two processes has half of the devices, and half of the memory.
TEST(memory_cap, is_that_of_each_process) {
  const std::function<Array(Array)> body = [](const Array& x) { return x * 2.0F; };
  const std::int64_t whole = memory_of(body, 1 << 16).total();
  const auto job = [&](const Machine& machine) { machine.compile(on_line(body), data(1 << 16)); };
  on_machines(line, {.count = 2}, job, {.memory = whole * 3 / 4});
  try {
    on_machines(line, {.count = 2}, job, {.memory = whole / 4});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::memory) << error.what();
  }
}

}  // namespace
}  // namespace tutti
