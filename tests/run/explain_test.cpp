// SPDX-License-Identifier: Apache-2.0
// The lines of explain() about steps: work, memory, time.
#include "tutti/run/watch/explain.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <thread>

#include "bench/processors.hpp"
#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/run/machine.hpp"
#include "tutti/run/watch/memory.hpp"
#include "tutti/run/watch/plan_report.hpp"
#include "tutti/run/watch/timeline.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {
namespace {

const Mesh line({{"x", 4}}), one_device(std::vector<std::pair<std::string, int>>{});

std::string explained(const Plan& plan, const Circumstances& circumstances) {
  Report report;
  report.outcome = step_plan(plan, circumstances);
  return explained(report);
}

Array at_line(int number, const std::function<Array()>& record) {
  auto place = Builder::current().on_behalf_of({"train.cpp", number, 0});
  return record();
}

/// On one device, values of 64 KiB, which lie 8.3 KiB apart: two live at once, one result in place of an
/// operand.
Program difference() {
  return test_program(one_device, {{DType::f32, {16384}, {}}},
                      [](const Arrays& x) {
                        Array a = at_line(10, [&] { return x[0] + x[0]; });
                        Array b = at_line(11, [&] { return x[0] * x[0]; });
                        Array c = at_line(12, [&] { return a - b; });
                        return Arrays{at_line(13, [&] { return c * c; })};
                      },
                      {});
}

Program looped() {
  const Axes& axes = line.axes();
  auto trip = [](const Array&, const Array& c) { return c + reduce_sum(matmul(c, c), 0); };
  return test_program(line, {{DType::f32, {4 * 64, 64}, {axes}}},
                      [&](const Arrays& x) { return Arrays{fori_loop(0, 5, trip, x[0])}; }, {{axes}});
}

struct Row {
  std::string bytes, arena, about, took, what;
};
std::vector<Row> rows(const std::string& text) {
  static const std::regex form(R"( *(\S+ \S+) +(\S+ \S+) +(\S+) +(\S+)  ( +\S.*))");
  std::vector<Row> found;
  std::istringstream lines(text);
  for (std::string row; std::getline(lines, row) && !row.starts_with("about");)
    if (std::smatch parts; std::regex_match(row, parts, form) && row.find("steps:") == std::string::npos)
      found.push_back({parts[1], parts[2], parts[3], parts[4], parts[5]});
  return found;
}

std::string messages_in(const std::string& text) {
  static const std::regex form("exchange[^\n]* as messages: ([^\n]*)\n");
  std::string found;
  for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at)
    found += (*at)[1].str() + "; ";
  return found;
}

// 72 numbers go from rows on x=2 to columns on y=3, so a device lacks half of its 24. It receives 12 numbers
// for its rows on y by a permutation, then the other 12.
TEST(explain_run, tells_what_an_exchange_sends_between_devices_of_their_own) {
  const Mesh mesh({{"x", 2}, {"y", 3}});
  const Axis x = mesh.axes()[0], y = mesh.axes()[1];
  auto explained_move = [&](const std::vector<Axes>& from, const std::vector<Axes>& to) {
    const Sharding before{mesh, from, {}, {}}, after{mesh, to, {}, {}};
    const Program program =
        test_program(mesh, {{DType::f32, {12, 6}, from}},
                     [&](const Arrays& part) { return Arrays{exchange(part[0], {12, 6}, before, after)}; },
                     {to});
    Team team(1);
    return messages_in(Executable(program, mesh, team, {}).explain());
  };
  EXPECT_EQ(explained_move({{x}, {}}, {{}, {y}}), "slice, all_gather; 48 B received by a device; ");
  EXPECT_EQ(explained_move({{x}, {}}, {{y}, {}}), "slice, permute, all_gather; 96 B received by a device; ");
  EXPECT_EQ(explained_move({{x}, {}}, {{x, y}, {}}), "slice; 0 B received by a device; ");
}

TEST(explain_run, tells_of_each_step_its_ops_line_bytes_and_arena) {
  Team team(1);
  std::string text = Executable(difference(), one_device, team, {.plan = {.fusion = Fusion::off}}).explain();
  std::vector<Row> steps = rows(text);
  ASSERT_EQ(steps.size(), 4U) << text;
  const char* expected[][3] = {{"128.0 KiB", "72.3 KiB", "  worker 0  region  add (train.cpp:10)"},
                               {"128.0 KiB", "144.6 KiB", "  worker 0  region  mul (train.cpp:11)"},
                               {"192.0 KiB", "144.6 KiB", "  worker 0  region  sub (train.cpp:12)"},
                               {"128.0 KiB", "72.3 KiB", "  worker 0  region  mul (train.cpp:13)"}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].bytes, expected[i][0]) << text;
    EXPECT_EQ(steps[i].arena, expected[i][1]) << text;
    EXPECT_EQ(steps[i].what, expected[i][2]) << text;
  }
  EXPECT_NE(text.find("  arguments      72.3 KiB\n  results        72.3 KiB\n"), std::string::npos) << text;
  EXPECT_NE(text.find("at most 144.6 KiB at a time; 1 result in place of an operand\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("inside"), std::string::npos) << text;
}

TEST(explain_run, says_that_nobody_measures_or_nothing_has_run) {
  Team team(1);
  Timeline timeline(1);
  std::string unmeasured = Executable(difference(), one_device, team).explain(),
              not_run = Executable(difference(), one_device, team, {.timeline = &timeline}).explain();
  EXPECT_NE(unmeasured.find(" us a call on 1 worker, not measured (MachineOptions::measure)\n"),
            std::string::npos)
      << unmeasured;
  EXPECT_NE(not_run.find(" us a call on 1 worker, not run yet\n"), std::string::npos) << not_run;
  for (const std::string& text : {unmeasured, not_run})
    for (const Row& row : rows(text)) EXPECT_EQ(row.took, "-");
}

TEST(explain_run, of_a_machine_that_measures_tells_what_every_step_took) {
  Machine machine = open_local(line, {.workers = 2, .measure = true});
  auto body = [](const Array& x) {
    return fori_loop(0, 5, [](const Array&, const Array& c) { return matmul(c, c); }, x);
  };
  Array x = test_data(DType::f32, {64, 64}, 1);
  auto run = machine.compile(body, x);
  for (int call = 0; call < 3; ++call) run(x);
  std::string text = run.explain();
  double loop = 0, product = 0;
  for (const Row& row : rows(text)) {
    ASSERT_NE(row.took, "-") << text;
    if (row.what.find("control scan") != std::string::npos) loop = std::stod(row.took);
    if (row.what.find("dot_general") != std::string::npos) product = std::stod(row.took);
  }
  EXPECT_GT(product, 0) << text;
  EXPECT_GE(loop, product) << text;  // of most calls every product is inside
  EXPECT_TRUE(std::regex_search(text, std::regex("us a call on 2 workers, took [0-9.]+ us "
                                                 R"(\(median of 3 calls\))")))
      << text;
  for (int call = 0; call < 40; ++call) run(x);
  EXPECT_NE(run.explain().find(" (median of the last 32 of 43 calls)\n"), std::string::npos) << text;
}

TEST(explain_run, fits_the_width_of_a_page_however_many_ops_a_step_has) {
  Program program = test_program(line, {{DType::f32, {4 * 8, 8}, {line.axes()}}},
                                 [](const Arrays& x) {
                                   Array y = x[0];
                                   for (int i = 0; i < 10; ++i) y = maximum(y * x[0], 3.0) + y;
                                   return Arrays{y};
                                 },
                                 {{line.axes()}});
  Team team(2, Team::Use::always);
  std::string text = Executable(program, line, team).explain();
  EXPECT_NE(text.find(" more (explain_test.cpp:"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string row; std::getline(lines, row);) EXPECT_LE(row.size(), 120U) << row;
}

TEST(explain_run, says_that_a_call_runs_alone_where_processors_are_fewer_than_workers) {
  const std::string said = "\nthere are fewer processors than workers: whoever calls does all the work, ";
  auto says = [&](int workers, Team::Use use = Team::Use::when_faster) {
    Team team(workers, use);
    return Executable(difference(), one_device, team).explain().find(said) != std::string::npos;
  };
  std::thread on_one_processor([&] {
    bench::bind_to_first_processor();
    ASSERT_EQ(bench::usable_processors().size(), 1U);
    EXPECT_TRUE(says(2));
    EXPECT_FALSE(says(1));
    EXPECT_FALSE(says(2, Team::Use::always));
  });
  on_one_processor.join();
  EXPECT_FALSE(says(Team::default_workers()));
}

/// x + 1 of 4 devices: of each 100 x 8 floats, shards so small that they lie side by side; 12.5 KiB in all.
TEST(explain_run, tells_the_memory_that_a_program_holds_between_calls) {
  const Axes& axes = line.axes();
  Program program = test_program(line, {{DType::f32, {4 * 100, 8}, {axes}}},
                                 [](const Arrays& x) { return Arrays{x[0] + 1.0}; }, {{axes}});
  Team team(1);
  Executable executable(program, line, team);
  auto says = [&](const std::string& held) {
    std::string text = executable.explain();
    EXPECT_NE(text.find("  arguments      12.5 KiB\n  results        12.5 KiB\n"), std::string::npos) << text;
    return text.find(held) != std::string::npos;
  };
  auto holds = [&](const std::string& in_all, const std::string& copies, const std::string& buffers) {
    return says("  held now     " + in_all + "  until the next calls: copies of arguments " + copies +
                ", buffers of results " + buffers + "\n");
  };
  EXPECT_FALSE(says("held now"));
  GlobalArrays on_host{std::make_shared<const GlobalArray>(test_data(program)[0])};
  GlobalArrays first = executable.run(on_host);
  EXPECT_TRUE(holds("  25.0 KiB", "12.5 KiB", "12.5 KiB"));
  GlobalArrays second = executable.run(first);  // kept: into a second buffer
  EXPECT_TRUE(holds("  25.0 KiB", "0 B", "25.0 KiB"));
  second = executable.run(std::move(second));  // in place
  EXPECT_TRUE(holds("  25.0 KiB", "0 B", "25.0 KiB"));
  second = executable.run(on_host);
  EXPECT_TRUE(holds("  37.5 KiB", "12.5 KiB", "25.0 KiB"));
}

TEST(explain_run, tells_no_buffers_of_results_that_lie_over_arguments) {
  const Axes& axes = line.axes();
  Program program = test_program(line, {{DType::f32, {4 * 100, 8}, {axes}}},
                                 [](const Arrays& x) { return Arrays{x[0] + 1.0}; }, {{axes}});
  Team team(1);
  Executable executable(program, line, team);
  GlobalArrays x;
  x.push_back(std::make_shared<const GlobalArray>(
      GlobalArray::distributed(test_data(program)[0], {line, {axes, {}}, {}, {}})));
  for (int call = 0; call < 3; ++call) x = executable.run(std::move(x));
  EXPECT_EQ(executable.explain().find("held now"), std::string::npos) << executable.explain();
}

TEST(plan_memory, is_what_shapes_say) {
  const Axes& axes = line.axes();
  Program program = test_program(line, {{DType::f32, {4 * 100, 8}, {axes}}},
                                 [&](const Arrays& x) { return Arrays{psum(x[0] * x[0], axes)}; }, {});
  Report::Memory memory = memory_of(Plan(localised(program, line).program, line, {.fusion = Fusion::off}));
  EXPECT_EQ(memory.arguments, 4 * 100 * 8 * 4);
  EXPECT_EQ(memory.results, 100 * 8 * 4);           // one for all devices
  EXPECT_GE(memory.arena, 4 * 100 * 8 * 4);         // the squares
  EXPECT_LT(memory.arena, 4 * 100 * 8 * 4 + 1024);  // and a gap
  EXPECT_EQ(memory.total(), memory.arguments + memory.results + memory.arena + memory.scratch);
}

TEST(explained, says_how_many_calls_one_worker_did_alone) {
  const Plan plan(localised(looped(), line).program, line, {.workers = 2});
  const std::string said = "\none worker did 3 of 5 calls alone, because other work used the processors\n";
  const auto text = [&](std::int64_t crowded) {
    return explained(plan, {.crowded_calls = crowded, .copies = {.calls = 5}});
  };
  EXPECT_NE(text(3).find(said), std::string::npos) << text(3);
  EXPECT_EQ(text(0).find("one worker did"), std::string::npos);
}

TEST(plan_memory, counts_arenas_and_scratch_of_sub_programs) {
  constexpr int workers = 2;
  Plan plan(localised(looped(), line).program, line,
            {.fusion = Fusion::off, .choice = PlanChoice::by_axis, .workers = workers});
  std::int64_t arenas = 0, scratch = 0;
  for (const Step& step : plan.steps().list)
    if (const SubWork* work = sub_work(plan.graph(), step))
      for (const std::shared_ptr<Plan>& trip : work->plans) {
        arenas += static_cast<std::int64_t>(trip->schedule().arena_bytes);
        scratch += workers * static_cast<std::int64_t>(trip->schedule().scratch_bytes);
      }
  std::int64_t product = 4 * 64 * 64 * 4;  // of all devices
  auto of_columns = static_cast<std::int64_t>(reduce_columns_scratch_bytes(64, 64, DType::f32));
  EXPECT_GE(arenas, product);
  EXPECT_GE(scratch, workers * of_columns);
  EXPECT_GT(of_columns, 0);
  EXPECT_EQ(memory_of(plan).inside, arenas + scratch);
  EXPECT_NE(explained(plan, {}).find(" KiB  arenas and scratch of sub-programs\n"), std::string::npos);
}

}  // namespace
}  // namespace tutti
