// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/check_races.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/dot_general.hpp"

namespace tutti {
namespace {

using Body = std::function<Arrays(const Arrays&)>;

Arrays products(const Arrays& x) {
  Array y = matmul(x[0], x[1]);
  return {matmul(y + 1.0, x[1]) * psum(y, "a")};
}

/// A plan, stage by stage, so that a test can spoil one of them.
struct Plan {
  explicit Plan(const Mesh& mesh, PlanChoice choice = PlanChoice::by_axis, const Body& body = products)
      : local(
            localised(test_program(mesh, {{DType::f32, {64, 64}, {mesh.axes()}}, {DType::f32, {64, 64}, {}}},
                                   body, {{mesh.axes()}}),
                      mesh)),
        graph(make_graph(local.program, mesh)),
        steps(make_steps(graph, Fusion::on)),
        costs(costs_of(graph, steps, Stores::by_size, test_caches)),
        placement(place(graph, steps, costs, 2, choice)),
        arena(plan_arena(graph, steps, placement)) {
    for (std::size_t i = 0; i < steps.list.size(); ++i) names.add("step " + std::to_string(i));
  }
  std::optional<std::string> race() {
    Schedule schedule = make_schedule(graph, steps, costs, placement, arena);
    return find_race(schedule, names);
  }

  LocalProgram local;
  Graph graph;
  Steps steps;
  StepCosts costs;
  Placement placement;
  ArenaPlan arena;
  Indexed<StepId, std::string> names;
};

TEST(check_races, finds_none_in_any_plan) {
  for (PlanChoice choice :
       {PlanChoice::cheapest, PlanChoice::one_worker, PlanChoice::by_axis, PlanChoice::by_tiles})
    EXPECT_EQ(Plan(Mesh({{"a", 4}}), choice).race(), std::nullopt);
}

TEST(check_races, finds_a_reader_that_does_not_wait_for_the_other_worker) {
  Plan plan(Mesh({{"a", 4}}));
  ASSERT_GT(plan.placement.phases, 1U);
  for (Assignment& assigned : plan.placement.of) assigned.phase = 0;  // no barrier before the psum
  std::optional<std::string> race = plan.race();
  ASSERT_TRUE(race);
  EXPECT_NE(race->find("phase 0"), std::string::npos) << *race;
}

TEST(check_races, finds_buffers_that_overlap) {
  Plan plan(Mesh({{"a", 4}}));
  int moved = 0;
  for (BufferId r : plan.graph.buffers.ids())
    if (plan.graph.buffers[r].kind == Buffer::Kind::arena && plan.arena.offset[r]) {
      plan.arena.offset[r] = 4096 * moved++;  // of 16 KiB each: one worker's part lies on the other's
    }
  ASSERT_GT(moved, 1);
  EXPECT_TRUE(plan.race());
}

TEST(check_races, finds_an_output_over_an_argument_that_another_worker_still_reads) {
  Plan plan(Mesh({{"a", 4}}));
  auto is_product = [](const Step& step) { return step.kind == Step::Kind::opaque; };
  std::optional<StepId> last;
  for (StepId n : plan.steps.list.ids())
    if (is_product(plan.steps.list[n])) last = n;
  ASSERT_TRUE(last);
  plan.placement.of[*last].phase =
      plan.placement.phases - 1;  // all read argument 1 while each writes its part of the output
  plan.arena = plan_arena(plan.graph, plan.steps, plan.placement);
  Schedule schedule = make_schedule(plan.graph, plan.steps, plan.costs, plan.placement, plan.arena);
  EXPECT_EQ(find_race(schedule, plan.names, {std::nullopt}), std::nullopt);
  EXPECT_TRUE(find_race(schedule, plan.names, {1}));
}

TEST(schedule, begins_the_scratch_of_each_worker_on_a_page) {
  Plan plan(Mesh({{"a", 4}}));
  Schedule schedule = make_schedule(plan.graph, plan.steps, plan.costs, plan.placement, plan.arena);
  ASSERT_GT(schedule.scratch.size(), 1U);
  for (const std::shared_ptr<std::byte>& scratch : schedule.scratch)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(scratch.get()) % 4096, 0U);
}

TEST(check_races, finds_scratch_that_two_workers_share) {
  auto a_step_with_scratch = [](const Arrays& x) {  // a product needs some on few processors only
    return Builder::current().add(Opaque{.run = [](const kernel::Unit&) {}, .scratch_bytes = 64}, {x[0]});
  };
  Plan plan(Mesh({{"a", 4}}), PlanChoice::by_axis, a_step_with_scratch);
  Schedule schedule = make_schedule(plan.graph, plan.steps, plan.costs, plan.placement, plan.arena);
  ASSERT_EQ(schedule.scratch_bytes, 64U);
  ASSERT_FALSE(find_race(schedule, plan.names));
  schedule.scratch[1] = schedule.scratch[0];
  bool uses_scratch = false;
  for (const auto& phase : schedule.lists)
    for (const auto& list : phase)
      for (const WorkerStep& step : list) {
        StepContext context{schedule.scratch[0].get(), {}, {}};
        auto begin = reinterpret_cast<std::uintptr_t>(context.scratch);
        step.code->touch(step, context, [&](const Touched& t) {
          uses_scratch |= t.written && t.begin >= begin && t.begin < begin + schedule.scratch_bytes;
        });
      }
  ASSERT_TRUE(uses_scratch);
  EXPECT_TRUE(find_race(schedule, plan.names));
}

}  // namespace
}  // namespace tutti
