// SPDX-License-Identifier: Apache-2.0
// MachineOptions::stop: where a call ends, what it leaves, and what other calls and processes see.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <stop_token>
#include <thread>

#include "examples/digits_model.hpp"
#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tests/support/many_processes.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/run/local_backend.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;

const Mesh line({{"i", 4}});

/// Calls `f` once for each device, and hands the operand on.
Array after(const Array& x, const std::function<void()>& f) {
  const auto run = [f, bytes = x.type().bytes()](const kernel::Unit& unit) {
    f();
    std::memcpy(unit.results[0], unit.operands[0], bytes);
  };
  return Builder::current().add(Opaque{.run = run}, {x})[0];
}

Tensor ones(std::int64_t size) {
  return Tensor({size}, std::vector<float>(static_cast<std::size_t>(size), 1.0F));
}
auto on_line(const std::function<Array(Array)>& body) {
  return shard_map(body, {.mesh = line, .in = P("i"), .out = P("i")});
}

/// The error that `call` ends with.
std::optional<Error> error_of(const std::function<void()>& call) {
  try {
    call();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

void expect_stopped(const std::optional<Error>& error) {
  ASSERT_TRUE(error) << "the call ended as if nobody had stopped it";
  EXPECT_EQ(error->label(), "R008") << error->what();
  EXPECT_EQ(error->exit_status(), 5);
  EXPECT_TRUE(
      error->message().ends_with("stopped before this step, because MachineOptions::stop was requested"))
      << error->what();
  EXPECT_TRUE(error->where().known());
}

// ---- a training in a loop

using digits::Batch;
using digits::Params;

Tensor drawn(const Shape& shape, int seed) {
  const Tensor whole = test_data(DType::f32, shape, seed);
  std::vector<float> numbers;
  for (const float number : whole.as<float>()) numbers.push_back(number / 64);
  return Tensor(shape, numbers);
}
Params drawn_params(int seed) {
  return {drawn({64, 128}, seed), drawn({128}, seed + 1), drawn({128, 10}, seed + 2), drawn({10}, seed + 3)};
}
Batch drawn_batch() {
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 256; ++i) labels.push_back(i % 10);
  return {drawn({256, 64}, 9), Tensor({256}, labels)};
}

/// Minutes of training steps.
auto long_training(const Mesh& mesh) {
  const auto steps = [](const Params& params, const Params& momentum, const Batch& batch) {
    const auto step = [&](const Array&, const std::pair<Params, Params>& state) {
      const auto [loss, next, velocity] = digits::step(state.first, state.second, batch);
      return std::pair{next, velocity};
    };
    return fori_loop(0, 1'000'000, step, std::pair{params, momentum}).first;
  };
  return shard_map(steps, {.mesh = mesh,
                           .in = {digits::by_model, digits::by_model, P("data")},
                           .out = digits::by_model});
}

/// The time from the request, after `wait`, to the end of the call.
std::chrono::duration<double> time_to_stop(int workers, std::chrono::milliseconds wait) {
  const Mesh mesh({{"data", 4}, {"model", 2}});
  std::stop_source stop;
  const Machine machine = open_local(mesh, {.workers = workers, .stop = stop.get_token()});
  const Params params = drawn_params(1), momentum = drawn_params(5);
  const Batch batch = drawn_batch();
  const auto train = machine.compile(long_training(mesh), params, momentum, batch);
  Clock::time_point requested;
  std::jthread other([&] {
    std::this_thread::sleep_for(wait);
    requested = Clock::now();
    stop.request_stop();
  });
  const std::optional<Error> error = error_of([&] { train(params, momentum, batch); });
  const Clock::time_point end = Clock::now();
  other.join();
  expect_stopped(error);
  EXPECT_EQ(to_string(error->where()).find("stop_test.cpp") == std::string::npos,
            to_string(error->where()).find("digits_model.hpp") != std::string::npos)
      << error->what();
  EXPECT_EQ(params.w2.tensor(), drawn({128, 10}, 3));  // kept by the caller
  return end - requested;
}

// The least of five: other programs may have the processors.
TEST(stop, ends_a_scan_of_training_steps_within_50_ms) {
  for (const int workers : {1, 2}) {
    std::chrono::duration<double> least(1e9);
    for (int i = 0; i < 5; ++i)
      least = std::min(least, time_to_stop(workers, std::chrono::milliseconds(20 + 7 * i)));
    EXPECT_LT(least.count(), 0.05) << workers;
  }
}

// ---- where it ends

TEST(stop, names_the_line_of_the_step_that_is_not_done) {
  std::stop_source stop;
  const Machine machine = open_local(line, {.workers = 1, .stop = stop.get_token()});
  const Array x = ones(8);
  const std::function<Array(Array)> body = [&](const Array& v) {
    const Array before = after(v, [&] { stop.request_stop(); });
    return cumsum(before, 0);  // refused
  };
  const auto run = machine.compile(on_line(body), x);
  EXPECT_EQ(
      refusal([&] { run(x); }),
      "R008 {file}:{line}: cumsum: stopped before this step, because MachineOptions::stop was requested");
}

struct Loop {
  std::string name;
  std::function<Array(const std::function<Array(const Array&)>& trip, const Array& x)> of;
};
const std::vector<Loop> loops{
    {"fori",
     [](const auto& trip, const Array& x) {
       return fori_loop(0, 1000, [&](const Array&, const Array& c) { return trip(c); }, x);
     }},
    {"scan",
     [](const auto& trip, const Array& x) {
       const auto one = [&](const Array& c, const Array&) { return std::pair{trip(c), c}; };
       return scan(one, x, zeros({1000}, DType::f32)).first;
     }},
    {"while", [](const auto& trip, const Array& x) {
       return while_loop([](const Array& c) { return psum(reduce_sum(c), "i") > 1e-20F; }, trip, x);
     }}};

// Four devices: each trip has four units.
TEST(stop, ends_loops_in_the_trip_in_which_it_is_requested) {
  for (const int workers : {1, 2})
    for (const Loop& loop : loops) {
      std::stop_source stop;
      std::atomic<int> units = 0;
      const Machine machine = open_local(line, {.workers = workers, .stop = stop.get_token()});
      const Array x = ones(8);
      const auto trip = [&](const Array& c) {
        return cumsum(after(c,
                            [&] {
                              if (++units == 40) stop.request_stop();
                            }),
                      0) *
               0.5F;
      };
      const std::function<Array(Array)> body = [&](const Array& v) { return loop.of(trip, v); };
      const auto run = machine.compile(on_line(body), x);
      expect_stopped(error_of([&] { run(x); }));
      EXPECT_EQ(units, 40) << loop.name << ", " << workers;
    }
}

// All workers meet in each trip. One that left without a word would let the others wait for ever.
TEST(stop, lets_all_workers_leave_a_loop_and_the_team_works_again) {
  Team team(2, Team::Use::always);
  const PlanOptions by_axis{.choice = PlanChoice::by_axis};
  const auto program = [](const std::function<void()>& each_unit) {
    return test_program(line, {{DType::f32, {8}, {line.axes()}}},
                        [&](const Arrays& x) {
                          const auto trip = [&](const Array&, const Array& c) {
                            return after(c, each_unit) * 0.5 + psum(c, "i") * 0.125;
                          };
                          return Arrays{fori_loop(0, 500, trip, x[0])};
                        },
                        {{line.axes()}});
  };
  const std::shared_ptr<const GlobalArray> x = std::make_shared<const GlobalArray>(ones(8));
  Executable other(program([] {}), line, team, {.plan = by_axis});
  const Tensor expected = other.run({x})[0]->whole();
  for (int call = 0; call < 20; ++call) {
    std::stop_source stop;
    std::atomic<int> units = 0;
    Executable stopped(program([&] {
                         if (++units == 400 + call) stop.request_stop();
                       }),
                       line, team, {.plan = by_axis, .stop = stop.get_token()});
    expect_stopped(error_of([&] { stopped.run({x}); }));
    EXPECT_LT(units, 500);  // a worker may have begun its next step
    EXPECT_EQ(other.run({x})[0]->whole(), expected);
  }
}

// ---- calls before and after

TEST(stop, lets_no_later_call_begin) {
  std::stop_source stop;
  std::atomic<int> units = 0;
  const Machine machine = open_local(line, {.workers = 1, .stop = stop.get_token()});
  const Array x = ones(8);
  const std::function<Array(Array)> body = [&](const Array& v) { return after(v, [&] { ++units; }); };
  const auto run = machine.compile(on_line(body), x);
  const Tensor expected = run(x).tensor();
  EXPECT_EQ(units, 4);
  stop.request_stop();
  for (int call = 0; call < 3; ++call) expect_stopped(error_of([&] { run(x); }));
  EXPECT_EQ(units, 4);
  EXPECT_EQ(std::get<Report::StepPlan>(run.report().outcome).copies.calls, 1);  // the first
  EXPECT_EQ(x.tensor(), ones(8));
  EXPECT_EQ(open_local(line, {.workers = 1}).compile(on_line(body), x)(x).tensor(), expected);
}

TEST(stop, leaves_arguments_but_for_those_given_away) {
  std::stop_source stop;
  const Machine machine = open_local(line, {.workers = 1, .stop = stop.get_token()});
  const std::function<Array(Array)> body = [&](const Array& v) {
    return after(v * 2.0F, [&] { stop.request_stop(); }) + cumsum(v, 0);
  };
  Array kept = machine.place(ones(8), P("i")), given = machine.place(ones(8), P("i"));
  const auto run = machine.compile(on_line(body), kept);
  expect_stopped(error_of([&] { run(kept); }));
  EXPECT_EQ(kept.tensor(), ones(8));
  expect_stopped(error_of([&] { run(std::move(given)); }));
  EXPECT_THROW(given.tensor(), Error);  // NOLINT(bugprone-use-after-move): empty, as its doc says
}

TEST(stop, is_never_requested_once_its_source_is_gone) {
  std::optional<std::stop_source> stop(std::in_place);
  const Machine machine = open_local(line, {.workers = 1, .stop = stop->get_token()});
  stop.reset();
  const Array x = ones(8);
  const std::function<Array(Array)> body = [](const Array& v) { return v + 1.0F; };
  EXPECT_EQ(machine.compile(on_line(body), x)(x).tensor().at(7), 2);
}

// ---- several processes

/// The errors of two processes. Process 1 stops in the middle of `body`.
std::vector<std::optional<Error>> errors_of_two(
    const std::function<Array(const Array& x, const std::function<void()>& request_stop)>& body,
    int workers) {
  std::vector<std::optional<Error>> errors(2);
  as_processes(2, [&](int self, std::unique_ptr<Transport> transport) {
    std::stop_source stop;
    const MachineOptions options{.workers = workers, .stop = stop.get_token()};
    const Machine machine(
        std::make_shared<LocalBackend>(Processes::of(line, 2, self, {}), std::move(transport), options));
    const std::function<Array(Array)> own = [&](const Array& x) {
      return body(x, [&stop, self] {
        if (self == 1) stop.request_stop();
      });
    };
    const Array x = ones(8);
    const auto run = machine.compile(on_line(own), x);
    errors[static_cast<std::size_t>(self)] = error_of([&] { run(x); });
    const std::optional<Error> again = error_of([&] { run(x); });
    ASSERT_TRUE(again);
    EXPECT_EQ(again->code(), Code::peer) << again->what();  // the machine is used up
  });
  return errors;
}

void expect_told(const std::vector<std::optional<Error>>& errors) {
  expect_stopped(errors[1]);
  ASSERT_TRUE(errors[0]);
  EXPECT_EQ(errors[0]->label(), "R007") << errors[0]->what();
  EXPECT_NE(errors[0]->message().find(std::string("process 1 has left: ") + errors[1]->what()),
            std::string::npos)
      << errors[0]->what();
}

TEST(stop, of_one_process_is_told_to_those_that_wait_for_it) {
  for (const int workers : {1, 2})
    expect_told(errors_of_two(
        [](const Array& x, const auto& request_stop) {
          const auto trip = [&](const Array&, const Array& c) {
            return psum(cumsum(after(c, request_stop), 0), "i") * 0.1F + c;
          };
          return fori_loop(0, 1000, trip, x);
        },
        workers));
}

TEST(stop, between_the_halves_of_a_collective_leaves_nothing_on_its_way) {
  for (const int workers : {1, 2})
    expect_told(errors_of_two(
        [](const Array& x, const auto& request_stop) {
          const auto sum = psum_start(x, "i");
          const Array y = cumsum(after(x * 2.0F, request_stop), 0);
          return psum(y, "i") + sum.done() + x;
        },
        workers));
}

}  // namespace
}  // namespace tutti
