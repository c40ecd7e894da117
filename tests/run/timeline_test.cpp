// SPDX-License-Identifier: Apache-2.0
// The file of a timeline: what workers did.
#include "tutti/run/watch/timeline.hpp"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "tests/run/harness.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/timeline_file.hpp"
#include "tutti/base/error.hpp"
#include "tutti/control/flow/cond.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/run/machine.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

const Mesh line({{"x", 4}});
const Mesh grid({{"x", 2}, {"y", 2}});
constexpr std::int64_t size = 64;
constexpr std::int64_t block_bytes = size * size * 4;

Program over(const Mesh& mesh, const std::function<Array(const Array&)>& body) {
  const Axes& axes = mesh.axes();
  return test_program(mesh, {{DType::f32, {size * mesh.devices(), size}, {axes}}},
                      [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{axes}});
}

Array at_line(int number, const std::function<Array()>& record) {
  auto place = Builder::current().on_behalf_of({"train.cpp", number, 0});
  return record();
}

/// Three steps, one a line; the sum is the last.
Array doubled_square_and_sum(const Array& x) {
  Array twice = at_line(10, [&] { return x + x; });
  Array square = at_line(11, [&] { return twice * x; });
  return square - at_line(12, [&] { return psum(square, "x"); });
}
Array five_products(const Array& x) {
  return fori_loop(0, 5, [](const Array&, const Array& c) { return minimum(matmul(c, c), 9.0); }, x);
}

class timeline : public testing::Test {
 protected:
  std::unique_ptr<Timeline> opened(std::int64_t most_events = Timeline::default_most_events) const {
    return std::make_unique<Timeline>(2, file_.path(), "a test", most_events);
  }
  TimelineFile read() const { return read_timeline(file_.path(), 2); }

  /// Compiles and calls a program of one input.
  void run(const Program& program, const Mesh& mesh, Timeline& recorder, int calls, CompileOptions options) {
    options.timeline = &recorder;
    Executable executable(program, mesh, team_, options);
    GlobalArrays values{std::make_shared<const GlobalArray>(test_data(program)[0])};
    for (int call = 0; call < calls; ++call) executable.run(values);
  }
  TimelineFile traced(const Program& program, const Mesh& mesh, int calls, const CompileOptions& options) {
    run(program, mesh, *opened(), calls, options);
    return read();
  }

  TemporaryName file_{"timeline.json"};
  Team team_{2, Team::Use::always};
};

TEST_F(timeline, has_every_step_on_its_worker_with_ops_line_part_and_bytes) {
  CompileOptions options{.plan = {.fusion = Fusion::off, .choice = PlanChoice::by_axis}};
  TimelineFile file = traced(over(line, doubled_square_and_sum), line, 1, options);
  for (int worker : {0, 1}) {
    std::vector<TimelineEvent> add = file.named("add", worker), mul = file.named("mul", worker);
    ASSERT_EQ(add.size(), 1U);
    ASSERT_EQ(mul.size(), 1U);
    EXPECT_EQ(add[0].line(), "train.cpp:10");
    EXPECT_EQ(mul[0].line(), "train.cpp:11");
    EXPECT_EQ(add[0].category, "region");
    EXPECT_EQ(add[0].args.at("split"), "by 'x'");
    EXPECT_EQ(add[0].args.at("part"), worker == 0 ? "1 of 2" : "2 of 2");
    EXPECT_EQ(add[0].args.at("bytes"), 2 * 2 * block_bytes);  // of 4 devices: one operand and the result
    EXPECT_EQ(mul[0].args.at("bytes"), 2 * 3 * block_bytes);
    EXPECT_EQ(add[0].args.at("phase"), 0);
    EXPECT_LE(add[0].end, mul[0].begin);
  }
  std::size_t sums = 0;
  for (int worker : {0, 1})
    for (const TimelineEvent& sum : file.named("all_reduce", worker)) {
      ++sums;
      EXPECT_EQ(sum.line(), "train.cpp:12");
      if (sum.args.at("split") == "by tiles") continue;
      EXPECT_EQ(sum.args.at("split"), "worker " + std::to_string(worker));
      EXPECT_EQ(sum.args.at("bytes"), 5 * block_bytes);
    }
  EXPECT_GE(sums, 1U);
}

TEST_F(timeline, tells_the_speed_of_a_step_in_bytes_per_nanosecond) {
  TimelineFile file = traced(over(line, doubled_square_and_sum), line, 3, {});
  ASSERT_FALSE(file.of_category("region").empty());
  for (const TimelineEvent& event : file.of_category("region")) {
    double expected = event.args.at("bytes").get<double>() / static_cast<double>(event.end - event.begin);
    EXPECT_NEAR(event.args.at("GB/s").get<double>(), expected, 1e-3 + 1e-3 * expected);
  }
}

TEST_F(timeline, names_a_region_by_all_its_ops) {
  TimelineFile file =
      traced(over(line, doubled_square_and_sum), line, 1, {.plan = {.choice = PlanChoice::one_worker}});
  ASSERT_EQ(file.of_category("region").size(), 1U);
  EXPECT_EQ(file.of_category("region")[0].name, "add, mul, all_reduce, sub");
  EXPECT_EQ(file.of_category("region")[0].line(), "train.cpp:10");
}

TEST_F(timeline, has_one_event_per_call_around_its_steps_and_waits_between_phases) {
  constexpr int calls = 3;
  TimelineFile file = traced(over(line, doubled_square_and_sum), line, calls,
                             {.plan = {.fusion = Fusion::off, .choice = PlanChoice::by_axis}});
  std::vector<TimelineEvent> whole = file.of_category("call");
  ASSERT_EQ(whole.size(), std::size_t{calls});
  int phases = whole[0].args.at("phases");
  EXPECT_GT(phases, 1);
  for (const TimelineEvent& call : whole) {
    EXPECT_EQ(call.name, "program 1");
    EXPECT_EQ(call.worker, 0);
    std::map<int, int> waits;
    for (const TimelineEvent& event : file.events)
      if (call.begin <= event.begin && event.end <= call.end && event.category == "wait")
        ++waits[event.worker];
    EXPECT_EQ(waits, (std::map<int, int>{{0, phases - 1}, {1, phases - 1}}));
  }
  for (const TimelineEvent& event : file.events) {
    if (event.category == "call") continue;
    EXPECT_TRUE(std::ranges::any_of(whole, [&](const TimelineEvent& call) {
      return call.begin <= event.begin && event.end <= call.end;
    })) << event.name;
    EXPECT_EQ(event.around.size(), event.worker == 0 ? 1U : 0U);
  }
}

TEST_F(timeline, of_a_plan_for_one_worker_has_nothing_on_the_other_track) {
  TimelineFile file =
      traced(over(line, doubled_square_and_sum), line, 2, {.plan = {.choice = PlanChoice::one_worker}});
  EXPECT_FALSE(file.events.empty());
  for (const TimelineEvent& event : file.events) EXPECT_EQ(event.worker, 0) << event.name;
  EXPECT_TRUE(file.of_category("wait").empty());
}

TEST_F(timeline, has_the_steps_of_a_loop_that_all_workers_run_inside_it) {
  TimelineFile file = traced(over(line, five_products), line, 2, {.plan = {.choice = PlanChoice::by_axis}});
  for (int worker : {0, 1}) {
    std::vector<TimelineEvent> loop = file.named("scan", worker), product = file.named("dot_general", worker);
    ASSERT_EQ(loop.size(), 2U);
    EXPECT_EQ(loop[0].category, "control");
    EXPECT_EQ(loop[0].args.at("split"), "together");
    ASSERT_EQ(product.size(), 2 * 5U);
    for (const TimelineEvent& event : product) {
      EXPECT_EQ(event.args.at("in"), "each of 5 trips");
      EXPECT_EQ(event.args.at("split"), "by 'x'");
      EXPECT_EQ(event.around.back(), "scan");
    }
  }
}

TEST_F(timeline, has_the_steps_of_a_loop_that_one_worker_runs_inside_it) {
  TimelineFile file =
      traced(over(line, five_products), line, 1, {.plan = {.choice = PlanChoice::one_worker}});
  ASSERT_EQ(file.named("dot_general", 0).size(), 5U);
  for (const TimelineEvent& event : file.named("dot_general", 0))
    EXPECT_EQ(event.around, (std::vector<std::string>{"program 1", "scan"}));
}

TEST_F(timeline, has_tests_and_trips_of_a_while_as_often_as_devices_make_them) {
  auto body = [](const Array& x) {
    auto goes_on = [](const Pair& c) { return c.first < axis_index("y") * 2 + 1; };
    auto trip = [](const Pair& c) { return Pair{c.first + 1, minimum(matmul(c.second, c.second), 9.0)}; };
    return while_loop(goes_on, trip, Pair{zeros({}, DType::i32), x}).second;
  };
  for (PlanChoice plan : {PlanChoice::one_worker, PlanChoice::by_axis}) {
    TimelineFile file = traced(over(grid, body), grid, 1, {.plan = {.choice = plan}});
    std::map<std::string, int> comparisons, products;  // per program that they are in
    for (const TimelineEvent& event : file.events) {
      if (event.worker != 0) continue;
      std::string in = event.args.value("in", "");
      if (event.name.find("lt") != std::string::npos) ++comparisons[in];
      if (event.name == "dot_general") ++products[in];
    }
    EXPECT_EQ(comparisons, (std::map<std::string, int>{{"test", 2 + 4}}));
    EXPECT_EQ(products, (std::map<std::string, int>{{"trip", 1 + 3}}));
  }
}

TEST_F(timeline, has_the_steps_of_the_branch_that_was_taken) {
  auto body = [](const Array& x) {
    auto product = [](const Array& v) { return matmul(v, v); };
    auto sum = [](const Array& v) { return v + v; };
    return cond(axis_index("x") < 3, product, sum, x);
  };
  TimelineFile file = traced(over(line, body), line, 1, {.plan = {.choice = PlanChoice::one_worker}});
  std::map<std::string, int> runs;
  for (const TimelineEvent& event : file.events)
    if (event.args.contains("in"))
      ++runs[event.name + ", " + event.args.at("in").get<std::string>() + " of " + event.around.back()];
  std::map<std::string, int> expected{{"dot_general, branch 1 of switch", 3}, {"add, branch 0 of switch", 1}};
  EXPECT_EQ(runs, expected);
}

TEST_F(timeline, keeps_programs_and_callers_apart) {
  auto recorder = opened();
  CompileOptions split{.plan = {.choice = PlanChoice::by_axis}, .timeline = recorder.get()},
      alone{.plan = {.choice = PlanChoice::one_worker}, .timeline = recorder.get()};
  Program first = over(line, five_products), second = over(line, doubled_square_and_sum);
  Executable one(first, line, team_, split), two(second, line, team_, alone),
      three(second, line, team_, split);
  constexpr int calls = 10;
  std::vector<std::thread> callers;
  for (Executable* executable : {&one, &two, &three})
    callers.emplace_back([executable, data = test_data(first)[0]] {
      GlobalArrays values{std::make_shared<const GlobalArray>(data)};
      for (int call = 0; call < calls; ++call) executable->run(values);
    });
  for (std::thread& caller : callers) caller.join();
  TimelineFile file = read();
  for (const char* name : {"program 1", "program 2", "program 3"})
    EXPECT_EQ(file.named(name, 0).size(), std::size_t{calls}) << name;
  for (int worker : {0, 1}) EXPECT_EQ(file.named("dot_general", worker).size(), std::size_t{5 * calls});
  for (const TimelineEvent& event : file.named("dot_general", 0)) EXPECT_EQ(event.around[0], "program 1");
}

TEST_F(timeline, is_whole_after_an_error_in_a_workers_part_and_goes_on) {
  auto body = [](const Array& x) {
    Array is_large = reduce_max(x) > 100;
    auto trip = [&](const Array& i, const Array& c) {
      Array on_second_worker = logical_and(is_large, logical_and(axis_index("x") > 2, i >= 3));
      return minimum(matmul(c, c), 9.0) + assume_invariant(convert(on_second_worker, DType::f32), "x");
    };
    return fori_loop(0, 5, trip, x);
  };
  Program program = over(line, body);
  auto recorder = opened();
  Executable executable(program, line, team_,
                        {.plan = {.choice = PlanChoice::by_axis, .check_assumptions = true},
                         .timeline = recorder.get()});
  Tensor small = test_data(program)[0], large = small;
  large.mutable_data<float>()[large.elements() - 1] = 1000;  // on the last device
  EXPECT_THROW(executable.run(GlobalArrays{std::make_shared<const GlobalArray>(large)}), Error);
  TimelineFile failed = read();
  ASSERT_EQ(failed.of_category("call").size(), 1U);
  EXPECT_EQ(failed.named("scan", 0).size(), 1U);
  EXPECT_EQ(failed.named("scan", 1).size(), 1U);
  std::size_t until_then =
      failed.named("assume_invariant", 0).size() + failed.named("assume_invariant", 1).size();
  EXPECT_GE(until_then, 4U);
  EXPECT_LT(failed.named("dot_general", 0).size(), 5U);
  executable.run(GlobalArrays{std::make_shared<const GlobalArray>(small)});
  EXPECT_EQ(read().of_category("call").size(), 2U);
}

TEST_F(timeline, keeps_the_first_events_and_counts_the_others) {
  Program loop = over(line, five_products), flat = over(line, doubled_square_and_sum);
  for (const Program* program : {&loop, &flat}) {
    constexpr int calls = 4;
    constexpr std::size_t most = 10;
    CompileOptions options{.plan = {.fusion = Fusion::off, .choice = PlanChoice::by_axis}};
    std::size_t all = traced(*program, line, calls, options).events.size();
    ASSERT_GT(all, most);
    auto recorder = opened(most);
    run(*program, line, *recorder, calls, options);
    TimelineFile file = read();
    EXPECT_EQ(file.events.size(), most);
    EXPECT_EQ(file.events[0].name, "program 1");
    EXPECT_EQ(file.left_out, static_cast<std::int64_t>(all - most));
    EXPECT_EQ(recorder->left_out(), file.left_out);
  }
}

TEST_F(timeline, of_a_machine_is_bounded_in_one_call_too) {
  auto left_out_of = [](int trips, int calls, const MachineOptions& options) {
    Machine machine = open_local(Mesh(), options);
    auto body = [trips](const Array& x) {
      return fori_loop(0, trips, [](const Array&, const Array& c) { return c + 1.0; }, x);
    };
    Array x = Tensor::scalar(0.0F);
    auto run = machine.compile(body, x);
    for (int call = 0; call < calls; ++call) run(x);
    return machine.events_left_out();
  };
  const MachineOptions traced{.trace = file_.path()}, measured{.measure = true};
  auto events_of = [&](int trips) {
    EXPECT_EQ(left_out_of(trips, 1, traced), 0);
    return std::ssize(read_timeline(file_.path(), 1).events);
  };
  std::int64_t of_ten = events_of(10), each = (events_of(20) - of_ten) / 10;
  ASSERT_GE(each, 1);
  constexpr int trips = 300'000;
  const std::int64_t of_call = of_ten + (trips - 10) * each, most = Timeline::default_most_events;
  EXPECT_EQ(left_out_of(trips, 2, traced), 2 * of_call - most);
  EXPECT_EQ(left_out_of(trips, 2, measured), 2 * (of_call - most));
  EXPECT_EQ(left_out_of(10, 2, measured), 0);
}

TEST_F(timeline, changes_no_bit_of_the_results) {
  auto recorder = opened();
  for (const Program& program : {over(line, five_products), over(line, doubled_square_and_sum)})
    for (PlanChoice plan : {PlanChoice::cheapest, PlanChoice::by_axis, PlanChoice::by_tiles}) {
      Tensors inputs = test_data(program),
              expected = run_once(program, line, inputs, team_, {.plan = {.choice = plan}});
      CompileOptions options{.plan = {.choice = plan}, .check_races = true, .timeline = recorder.get()};
      EXPECT_TRUE(run_once(program, line, inputs, team_, options)[0] == expected[0]);
    }
}

TEST_F(timeline, of_a_machine_is_whole_after_every_call_also_after_the_machine) {
  auto twice = [](const Array& x) { return x + x; };
  Array x = Tensor({2}, std::vector<float>{1, 2});
  std::optional<Machine> machine = open_local(line, {.workers = 2, .trace = file_.path()});
  EXPECT_TRUE(read().events.empty());
  auto first = machine->compile(twice, x, Where{"a \"b\\c\".cpp", 3});
  auto second = machine->compile(twice, x, Where{"\xff\n.cpp", 4});
  first(x);
  second(x);
  ASSERT_EQ(read().of_category("call").size(), 2U);
  EXPECT_EQ(read().named("program 1", 0)[0].line(), "a \"b\\c\".cpp:3");
  EXPECT_EQ(read().named("program 2", 0)[0].line(), "\xef\xbf\xbd\n.cpp:4");
  machine.reset();
  EXPECT_EQ(first(x).tensor(), Tensor({2}, std::vector<float>{2, 4}));
  EXPECT_EQ(read().named("program 1", 0).size(), 2U);
}

}  // namespace
}  // namespace tutti
