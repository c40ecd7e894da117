// SPDX-License-Identifier: Apache-2.0
// Collectives between processes that a call begins and ends later: the carrier makes them meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tests/support/many_processes.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/timeline_file.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/devices/carrier.hpp"
#include "tutti/run/local_backend.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/run/plan/plan.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh line({{"i", 4}});
constexpr std::int64_t large = 64 << 10;  // elements; the folds of more than two processes go in chunks

Type numbers_of(std::int64_t size) { return {DType::f32, {size}}; }

/// Calls `f` with the number of the device, and hands the operand on.
Array after(const Array& x, const std::function<void(std::int64_t device)>& f) {
  const auto run = [f, bytes = x.type().bytes()](const kernel::Unit& unit) {
    f(unit.number);
    std::memcpy(unit.results[0], unit.operands[0], bytes);
  };
  return Builder::current().add(Opaque{.run = run}, {x})[0];
}

/// A moment that threads wait for, 20 s at most.
class Moment {
 public:
  void come() {
    if (!has_come_.exchange(true)) promise_.set_value();
  }
  bool wait() { return future_.wait_for(std::chrono::seconds(20)) == std::future_status::ready; }

 private:
  std::promise<void> promise_;
  std::shared_future<void> future_ = promise_.get_future().share();
  std::atomic<bool> has_come_ = false;
};

// Device 0 computes from before the other devices begin the sum until they have its result. So its process
// must do its part of the sum meanwhile, with both transfers and the fold between them.
TEST(futures, are_carried_while_the_process_computes) {
  for (const int processes : {2, 4}) {
    Moment computes, all_have_it;
    std::atomic<int> have_it = 0;
    std::atomic<bool> was_in_time = true;
    on_machines(line, {.count = processes}, [&](const Machine& machine) {
      const int own_devices = 4 / processes;
      const auto body = [&](const Array& x) {
        const Array begins = after(x, [&](std::int64_t device) {
          if (device >= own_devices && !computes.wait()) was_in_time = false;
        });
        const auto sum = psum_start(begins, "i");
        const Array y = after(begins * 2.0F, [&](std::int64_t device) {
          if (device > 0) return;
          computes.come();
          if (!all_have_it.wait()) was_in_time = false;
        });
        const Array result = after(sum.done() + y, [&](std::int64_t device) {
          if (device >= own_devices && ++have_it == 4 - own_devices) all_have_it.come();
        });
        return result;
      };
      const Array x = machine.place(Tensor({4 * large}, std::vector<float>(4 * large, 1.0F)), P("i"));
      const auto run = machine.compile(shard_map(body, {.mesh = line, .in = P("i"), .out = P("i")}), x);
      const Array y = run(x);
      for (int device = 0; device < 4; ++device)
        if (machine.backend().drives(device)) {
          const Tensor shard = y.shard(device);
          EXPECT_EQ(shard.as<float>()[7], 6);
        }
    });
    EXPECT_TRUE(was_in_time) << processes;
  }
}

void expect_same_bits(const Program& program) {
  const std::vector<Tensors> inputs = drawn_inputs(program, line, 3);
  const std::vector<Tensors> expected = run_on_machine(program, line, inputs, {});
  for (const int processes : {2, 4})
    for (const PlanChoice plan : {PlanChoice::cheapest, PlanChoice::by_axis, PlanChoice::by_tiles})
      EXPECT_EQ(run_on_processes(program, line, inputs, {.count = processes, .workers = {2, 1, 3}},
                                 {.plan = {.choice = plan}, .check_races = true}),
                expected)
          << processes;
}

// The steps between need memory, too. They must not get that of the sums.
TEST(futures, keep_their_memory_until_they_are_done) {
  expect_same_bits(traced_on(line, numbers_of(large), [](const Array& x) {
    const auto sum = psum_start(x * 2.0F, "i");
    Array y = x;
    for (int i = 0; i < 6; ++i) y = rev(cumsum(y * 0.5F, 0), {0});  // each is a copy
    return sum.done() + y;
  }));
  expect_same_bits(traced_on(line, numbers_of(large), [](const Array& x) {
    const auto sum = psum_start(x, "i");
    const auto all = all_gather_start(x * 3.0F, "i");
    const auto most = pmax_start(cumsum(x, 0), "i");
    const Array y = rev(cumsum(x, 0), {0});
    return most.done() * y + reduce_sum(all.done(), {0}) + sum.done();
  }));
}

// With two workers this has several phases.
TEST(futures, stand_as_late_as_they_may) {
  const Program program = traced_on(line, numbers_of(large), [](const Array& x) {
    const auto sum = psum_start(x, "i");
    Array y = x;
    for (int i = 0; i < 2; ++i) y = all_to_all(exp(y), "i", {.tiled = true});  // between own devices, too
    return sum.done() + y;
  });
  const LocalProgram local = localised(program, line, {}, {.own_futures = true});
  const Plan plan(local.program, Processes::of(line, 2, 0),
                  {.choice = PlanChoice::by_tiles, .workers = 2, .caches = Caches{}});
  std::size_t awaits = 0;
  for (StepId n : plan.steps().list.ids()) {
    if (plan.steps().list[n].kind != Step::Kind::await) continue;
    ++awaits;
    const std::size_t phase = plan.placement().of[n].phase;
    EXPECT_GT(phase, 0U);
    for (StepId before : plan.steps().list.ids())
      EXPECT_TRUE(before >= n || plan.placement().of[before].phase <= phase);
  }
  EXPECT_EQ(awaits, 1U);
}

TEST(futures, may_begin_and_end_in_loops_and_branches) {
  expect_same_bits(traced_on(line, numbers_of(40), [](const Array& x) {
    return while_loop([](const Array& v) { return psum(reduce_sum(v), "i") < 1e6F; },
                      [](const Array& v) {
                        const auto sum = psum_start(v, "i");
                        const Array y = cumsum(v, 0);
                        return sum.done() + y * y + 1.0F;
                      },
                      x);
  }));
  expect_same_bits(traced_on(line, numbers_of(large), [](const Array& x) {
    const auto sum = psum_start(x, "i");
    const Array y = cond(
        psum(reduce_sum(x), "i") > 0.0F, [&] { return x * psum_start(x, "i").done(); },
        [&] { return cumsum(x, 0); });
    return y + sum.done();
  }));
}

// Process 1 fails while its carrier waits for process 0, which comes later.
TEST(futures, end_with_the_call_that_fails) {
  Moment has_failed;
  std::atomic<int> told = 0;
  as_processes(2, [&](int self, std::unique_ptr<Transport> transport) {
    Transport& own = *transport;
    const Machine machine(std::make_shared<LocalBackend>(Processes::of(line, 2, self), std::move(transport),
                                                         MachineOptions{.workers = 1, .measure = true}));
    bool fails = false;
    const auto body = [&](const Array& x) {
      const auto sum = psum_start(x, "i");
      const Array y = after(x, [&](std::int64_t) {
        if (fails) throw Error(Code::device, {}, "the disk is gone");
      });
      return sum.done() + y + psum(y, "i");
    };
    const Array x = Tensor({4 * large}, std::vector<float>(4 * large, 1.0F));
    const auto run = machine.compile(shard_map(body, {.mesh = line, .in = P("i"), .out = P("i")}), x);
    run(x);
    fails = self == 1;
    EXPECT_TRUE(fails || has_failed.wait());
    const std::string found = refusal([&] { run(x); });
    EXPECT_TRUE(own.carrier()->is_idle()) << self;
    if (fails) has_failed.come();
    const std::string later = refusal([&] { run(x); });
    EXPECT_NE(found.find("the disk is gone"), std::string::npos) << found;
    EXPECT_EQ(later.substr(0, 4), "R007") << later;
    ++told;
  });
  EXPECT_EQ(told, 2);
}

TEST(futures, are_shown_on_the_carrier) {
  const TemporaryName trace("futures_trace.json");
  as_processes(2, [&](int self, std::unique_ptr<Transport> transport) {
    const MachineOptions options{.workers = 1, .trace = self == 0 ? trace.path() : ""};
    const Machine machine(
        std::make_shared<LocalBackend>(Processes::of(line, 2, self), std::move(transport), options));
    const auto body = [](const Array& x) {
      const auto sum = psum_start(x, "i");
      const Array y = cumsum(x, 0);
      return sum.done() + y;
    };
    const Array x = Tensor({4 * large}, std::vector<float>(4 * large, 1.0F));
    const auto run = machine.compile(shard_map(body, {.mesh = line, .in = P("i"), .out = P("i")}), x);
    run(x);
    const std::string text = run.explain();
    const std::size_t begins = text.find("  carrier"), between = text.find("cumsum"),
                      ends = text.find("  await");
    EXPECT_TRUE(begins < between && between < ends && ends != std::string::npos) << text;
  });
  const TimelineFile file = read_timeline(trace.path(), 1, HasCarrier::yes);
  std::vector<std::string> of_carrier;
  for (const TimelineEvent& event : file.events)
    if (event.worker == 1) of_carrier.push_back(event.category + " " + event.name);
  EXPECT_EQ(of_carrier, std::vector<std::string>{"transfer start"});
  for (const TimelineEvent& event : file.events)
    if (event.category == "transfer") {
      EXPECT_EQ(event.args.value("waits for", ""), "process 1");
    }
}

}  // namespace
}  // namespace tutti
