// SPDX-License-Identifier: Apache-2.0
// Reports: rows, collectives, numbers, plans, refusals.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/expect_refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/run/watch/explain.hpp"
#include "tutti/run/watch/program_report.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh line({{"i", 4}});
const Mesh grid({{"a", 2}, {"b", 3}});

Array ramp(std::int64_t n) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i));
  return Tensor({n}, values);
}

Array share(const Array& x) { return x / psum(x, "i"); }

std::vector<std::string> ops_of(const Report::Part& part) {
  std::vector<std::string> ops;
  for (const Report::Row& row : part.rows) ops.push_back(row.op);
  return ops;
}

const Report::Row& row_of(const Report& report, const std::string& op) {
  return *std::ranges::find(report.program.rows, op, &Report::Row::op);
}

TEST(report, has_a_row_for_each_equation_with_states_and_bytes) {
  const Machine machine = open_local(line);
  const auto run = machine.compile(shard_map(share, {.mesh = line, .in = P("i"), .out = P("i")}), ramp(16));
  const Report report = run.report();
  EXPECT_EQ(ops_of(report.program),
            (std::vector<std::string>{"enter", "all_reduce", "cast", "div", "leave"}));
  const Report::Row& sum = row_of(report, "all_reduce");
  EXPECT_EQ(to_string(sum.results[0].type), "f32[4]");
  EXPECT_EQ(to_string(sum.collective->axes), "'i'");
  EXPECT_EQ(sum.collective->traffic.received, 24);   // 3/4 of 16 bytes, twice
  EXPECT_FALSE(row_of(report, "leave").collective);  // it stays as it lies
  EXPECT_EQ(sum.where.line, row_of(report, "div").where.line);
  EXPECT_EQ(report.machine, machine.description());
  EXPECT_EQ(report.arguments[0].name, "argument 0");
  EXPECT_EQ(to_string(report.arguments[0].sharding.value()), "P(i)");
}

TEST(report, has_its_collectives_in_the_text_of_explain) {
  const auto f = [](const Array& x) {
    return all_gather(x, "i", {.to = State::invariant}) + psum(reduce_sum(x), "i");
  };
  const std::string text =
      open_local(line).compile(shard_map(f, {.mesh = line, .in = P("i"), .out = P()}), ramp(16)).explain();
  EXPECT_NE(text.find("collectives: 2; a device with memory of its own receives at least 56 B\n"
                      "  all_gather over 'i' (report_test.cpp:"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("): sends 48 B, receives 48 B\n  all_reduce over 'i' (report_test.cpp:"),
            std::string::npos)
      << text;
}

TEST(report, says_that_a_value_is_gathered_where_something_reads_it_whole) {
  const auto twice = [](const Array& x) { return x + x; };
  const auto f = [&](const Array& x) {
    return reduce_sum(shard_map(twice, {.mesh = line, .in = P("i"), .out = P("i")})(x));
  };
  const Report report = open_local(line).compile(f, ramp(8)).report();
  EXPECT_EQ(row_of(report, "leave").collective->traffic.received, 24);
}

TEST(report, says_what_goes_from_one_shard_map_to_another) {
  const auto twice = [](const Array& x) { return x + x; };
  const auto f = [&](const Array& x) {
    const Array y = shard_map(twice, {.mesh = grid, .in = P("a"), .out = P("a")})(x);
    return shard_map(twice, {.mesh = grid, .in = P("b"), .out = P("b")})(y);
  };
  const Report report = open_local(grid).compile(f, ramp(12)).report();
  std::vector<std::int64_t> received;
  for (const Report::Row& row : report.program.rows)
    if (row.collective) received.push_back(row.collective->traffic.received);
  EXPECT_EQ(received, (std::vector<std::int64_t>{16}));  // the last third lacks all its 4 numbers
  const auto& plan = std::get<Report::StepPlan>(report.outcome);
  ASSERT_EQ(plan.plan.exchanges.size(), 1U);
  EXPECT_EQ(to_string(plan.plan.exchanges[0].from), "P(a)");
  EXPECT_EQ(to_string(plan.plan.exchanges[0].to), "P(b)");
}

TEST(report, has_the_programs_inside_of_rows) {
  const auto f = [](const Array& x) {
    return fori_loop(0, 5, [](const Array&, const Array& y) { return y * 2.0; }, x);
  };
  const Report report = open_local(line).compile(f, ramp(3)).report();
  const Report::Row& loop = row_of(report, "scan");
  ASSERT_EQ(loop.parts.size(), 1U);
  EXPECT_EQ(loop.parts[0].name, "each of 5 trips");
  EXPECT_EQ(loop.parts[0].trips, 5);
  EXPECT_FALSE(loop.parts[0].rows.empty());
}

TEST(report, has_the_numbers_of_every_equation_on_every_device) {
  const Machine machine = open_local(line, {.values = true});
  const auto run = machine.compile(shard_map(share, {.mesh = line, .in = P("i"), .out = P("i")}), ramp(4));
  EXPECT_TRUE(run.report().program.numbers.empty());  // before a call
  run(Tensor({4}, {1.F, 2.F, 3.F, 4.F}));
  const Report report = run.report();
  EXPECT_EQ(report.program.numbers[0], (Report::Numbers{"[1. 2. 3. 4.]"}));
  EXPECT_EQ(row_of(report, "enter").numbers[0], (Report::Numbers{"[1.]", "[2.]", "[3.]", "[4.]"}));
  EXPECT_EQ(row_of(report, "all_reduce").numbers[0], (Report::Numbers{"[10.]"}));
  EXPECT_EQ(row_of(report, "div").numbers[0], (Report::Numbers{"[0.1]", "[0.2]", "[0.3]", "[0.4]"}));
}

TEST(report, has_numbers_of_what_was_started) {
  const Machine machine = open_local(line, {.values = true});
  const auto sum = [](const Array& x) { return psum_start(x, "i").done(); };
  const auto run = machine.compile(shard_map(sum, {.mesh = line, .in = P("i"), .out = P()}), ramp(4));
  EXPECT_EQ(run(ramp(4)).item(), 6);
  EXPECT_EQ(row_of(run.report(), "done").numbers[0], (Report::Numbers{"[6.]"}));
}

TEST(report, has_the_numbers_of_the_last_trip_of_a_loop) {
  const auto step = [](const Array& sum, const Array& x) { return std::pair{sum + x, sum * x}; };
  const Machine machine = open_local(line, {.values = true});
  for (const bool reverse : {false, true}) {
    const auto f = [&](const Array& xs) {
      return scan(step, zeros({}, DType::f32), xs, {.reverse = reverse}).first;
    };
    const auto run = machine.compile(f, ramp(3));
    run(Tensor({3}, {1.F, 2.F, 4.F}));
    const Report report = run.report();
    const Report::Part& body = row_of(report, "scan").parts.at(0);
    using Texts = std::vector<Report::Numbers>;
    EXPECT_EQ(body.numbers, reverse ? (Texts{{"6."}, {"1."}}) : (Texts{{"3."}, {"4."}}));
    EXPECT_EQ(std::ranges::find(body.rows, "add", &Report::Row::op)->numbers, (Texts{{"7."}}));
    EXPECT_EQ(std::ranges::find(body.rows, "mul", &Report::Row::op)->numbers,
              reverse ? (Texts{{"6."}}) : (Texts{{"12."}}));
  }
}

TEST(report, has_the_numbers_of_a_branch_that_all_devices_take) {
  const auto half = [](const Array& a) { return a / 2.F; };
  const auto triple = [](const Array& a) { return a * 3.F; };
  const Machine machine = open_local(line, {.values = true});
  const auto f = [&](const Array& x) { return cond(x > 4.F, half, triple, x); };
  const auto run = machine.compile(f, Tensor::scalar(1.F));
  for (const float x : {2.F, 6.F}) {
    run(Tensor::scalar(x));
    const Report report = run.report();
    const std::vector<Report::Part>& branches = row_of(report, "switch").parts;
    ASSERT_EQ(branches.size(), 2U);
    const std::size_t taken = x > 4 ? 1 : 0;
    EXPECT_EQ(branches[taken].numbers, (std::vector<Report::Numbers>{{x > 4 ? "6." : "2."}}));
    EXPECT_EQ(branches[taken].rows.back().numbers, (std::vector<Report::Numbers>{{x > 4 ? "3." : "6."}}));
    EXPECT_TRUE(branches[1 - taken].numbers.empty());
  }
}

TEST(report, of_numbers_ends_where_a_stop_is_requested) {
  std::stop_source source;
  const Machine machine = open_local(line, {.values = true, .stop = source.get_token()});
  const auto run = machine.compile([](const Array& x) { return x + x; }, ramp(4));
  source.request_stop();
  expect_refusal([&] { run(ramp(4)); }, Code::stopped, {});
  const Report report = run.report();
  for (const Report::Row& row : report.program.rows) EXPECT_TRUE(row.numbers.empty());
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_TRUE(report.remarks[0].starts_with("the numbers end where the last call failed: "))
      << report.remarks[0];
}

TEST(report, refuses_numbers_of_large_arguments) {
  const Machine machine = open_local(line, {.values = true});
  expect_refusal(
      [&] { machine.compile([](const Array& x) { return x; }, ramp(65)); }, Code::argument,
      {"argument 0 is f32[65], and MachineOptions::values shows the numbers of at most 64 elements"});
}

TEST(report, has_the_rows_until_a_refusal_and_the_op_that_was_refused) {
  const auto f = [](const Array& x) {
    const Array y = x * 2.0;
    return y + Array(Tensor({3}, {1.F, 2.F, 3.F}));
  };
  try {
    open_local(line).compile(shard_map(f, {.mesh = line, .in = P("i"), .out = P("i")}), ramp(8));
    FAIL() << "it compiles";
  } catch (const Error& error) {
    const Report report = refused_report(error);
    const auto& refusal = std::get<Report::Refusal>(report.outcome);
    EXPECT_EQ(refusal.code, Code::shape);
    EXPECT_EQ(refusal.message, error.message());
    EXPECT_EQ(report.mesh, line);
    EXPECT_TRUE(refusal.has_row);
    EXPECT_EQ(ops_of(report.program), (std::vector<std::string>{"enter", "function"}));
    const Report::Part& body = report.program.rows[1].parts.at(0);
    EXPECT_EQ(ops_of(body), (std::vector<std::string>{"constant", "broadcast_in_dim", "cast", "mul", "add"}));
    EXPECT_TRUE(body.rows.back().results.empty());
    EXPECT_EQ(body.rows.back().where.line, error.where().line);
  }
}

TEST(report, has_the_operands_of_an_op_that_was_refused) {
  const auto f = [](const Array& x) { return pmax(pcast(x, {"i"}, unreduced), "i"); };
  try {
    open_local(line).compile(shard_map(f, {.mesh = line, .in = P("i"), .out = P()}), ramp(8));
    FAIL() << "it compiles";
  } catch (const Error& error) {
    const Report report = refused_report(error);
    const Report::Row& row = report.program.rows.back().parts.at(0).rows.back();
    EXPECT_EQ(row.op, "all_reduce");
    EXPECT_EQ(row.operands.size(), 1U);
    EXPECT_TRUE(row.results.empty());
  }
}

TEST(report, has_an_op_that_was_refused_inside_of_a_loop) {
  const auto body = [](const Array& y, const Array& z) { return std::pair(y + z, y); };
  const auto f = [&](const Array& x) { return scan(body, x, Array(Tensor({2, 3}, DType::f32))).first; };
  try {
    open_local(line).compile(shard_map(f, {.mesh = line, .in = P("i"), .out = P("i")}), ramp(8));
    FAIL() << "it compiles";
  } catch (const Error& error) {
    const Report report = refused_report(error);
    EXPECT_EQ(std::get<Report::Refusal>(report.outcome).code, Code::shape) << error.what();
    const Report::Part& loop = report.program.rows.back().parts.at(0).rows.back().parts.at(0);
    EXPECT_TRUE(loop.rows.back().results.empty());
  }
}

TEST(report, of_an_error_outside_of_a_trace_has_no_rows) {
  const Report report = refused_report(Error(Code::file, {}, "it is gone"));
  EXPECT_TRUE(report.program.rows.empty());
  EXPECT_EQ(std::get<Report::Refusal>(report.outcome).message, "it is gone");
}

TEST(report, has_buffers_that_do_not_overlap_while_they_live) {
  const auto f = [](const Array& x) {
    const Array y = matmul(x, x), z = matmul(y, x);
    return matmul(z, y) + z * 2.F;
  };
  const Array x = Tensor({16, 16}, DType::f32);
  const Report report = open_local(line, {.workers = 2}).compile(f, x).report();
  const auto& plan = std::get<Report::StepPlan>(report.outcome);
  ASSERT_GE(plan.buffers.size(), 2U);
  for (const Report::Buffer& a : plan.buffers) {
    EXPECT_LT(a.last, plan.plan.steps.size());
    EXPECT_LE(a.offset + a.bytes, plan.memory.arena);
    for (const Report::Buffer& b : plan.buffers) {
      const bool is_later_or_elsewhere = &a == &b || a.last < b.first || b.last < a.first ||
                                         a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
      // A result may lie over an operand that nobody reads after that step.
      const bool is_in_place =
          a.offset == b.offset && a.bytes == b.bytes && (a.last == b.first || b.last == a.first);
      EXPECT_TRUE(is_later_or_elsewhere || is_in_place) << a.value << " and " << b.value;
    }
  }
  EXPECT_EQ(explained(report), open_local(line, {.workers = 2}).compile(f, x).explain());
}

}  // namespace
}  // namespace tutti
