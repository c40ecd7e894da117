// SPDX-License-Identifier: Apache-2.0
// Properties of every plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "tests/plan/interpreter.hpp"
#include "tutti/plan/search/state_graph.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

constexpr PlanObjective objectives[] = {PlanObjective::time, PlanObjective::bytes, PlanObjective::steps};

/// `look` at the plan for every pair of shardings, one in so many.
template <class F>
void for_each_plan(std::string_view mesh, const Shape& shape, Sums sums, std::size_t one_in, F&& look) {
  const std::vector<Sharding> all = all_shardings(mesh_of(mesh), shape, sums);
  for (std::size_t pair = 0; pair < all.size() * all.size(); pair += one_in)
    look(plan({Type(DType::f32, shape),
               all[pair / all.size()],
               all[pair % all.size()],
               {.objective = objectives[pair % 3]}}));
}

/// The numbers of pairs whose plans have 0, 1, .. steps that communicate.
std::vector<int> pairs_by_steps(std::string_view mesh, const Shape& shape) {
  std::vector<int> found;
  const std::vector<Sharding> all = all_shardings(mesh_of(mesh), shape, Sums::excluded);
  for (const Sharding& from : all)
    for (const Sharding& to : all) {
      const PlanRequest request{Type(DType::f32, shape), from, to, {.objective = PlanObjective::steps}};
      const auto steps = static_cast<std::size_t>(plan(request).totals.steps);
      found.resize(std::max(found.size(), steps + 1));
      ++found[steps];
    }
  return found;
}

bool is_trimmed(const Sharding& a, const Sharding& b) {
  return a.dims == b.dims && a.unreduced == b.unreduced;
}

TEST(plan, goes_from_the_one_sharding_to_the_other_without_a_gap) {
  for_each_plan("x2 y3", {6, 12}, Sums::included, 1, [](const ReshardPlan& found) {
    const std::vector<PlanStep>& steps = found.steps;
    ASSERT_EQ(steps.empty(), found.request.from == found.request.to);
    if (steps.empty()) return;
    EXPECT_TRUE(is_trimmed(steps.front().before, found.request.from)) << to_string(found);
    EXPECT_TRUE(is_trimmed(steps.back().after, found.request.to)) << to_string(found);
    for (std::size_t i = 1; i < steps.size(); ++i) {
      EXPECT_EQ(steps[i].before, steps[i - 1].after) << to_string(found);
      EXPECT_FALSE(steps[i].kind == StepKind::slice && steps[i - 1].kind == StepKind::slice)
          << to_string(found);
    }
  });
}

TEST(plan, has_groups_of_different_devices_where_bytes_travel) {
  for_each_plan("x2 y2 z2", {8, 8}, Sums::included, 11, [](const ReshardPlan& found) {
    for (const PlanStep& step : found.steps) {
      const bool is_local = step.kind == StepKind::slice || step.kind == StepKind::mask;
      EXPECT_EQ(step.groups.empty(), is_local) << to_string(found);
      EXPECT_EQ(step.received_bytes == 0, is_local) << to_string(found);
      EXPECT_EQ(step.axes.empty(), is_local) << to_string(found);
      std::map<int, int> seen;
      for (const std::vector<int>& group : step.groups)
        for (int device : group) ++seen[device];
      for (const auto& [device, times] : seen) EXPECT_LE(times, step.kind == StepKind::permute ? 2 : 1);
      const bool is_everybody = seen.size() == 8;
      EXPECT_TRUE(is_local || step.kind == StepKind::permute || is_everybody) << to_string(found);
    }
  });
}

TEST(plan, adds_up_its_steps) {
  for_each_plan("x2 y2 z2", {8, 8}, Sums::included, 13, [](const ReshardPlan& found) {
    PlanTotals sum;
    for (const PlanStep& step : found.steps) {
      sum.bytes += step.received_bytes;
      sum.seconds += step.seconds;
      (step.groups.empty() ? sum.local : sum.steps) += 1;
    }
    EXPECT_EQ(sum.bytes, found.totals.bytes);
    EXPECT_EQ(sum.steps, found.totals.steps);
    EXPECT_EQ(sum.local, found.totals.local);
    EXPECT_NEAR(sum.seconds, found.totals.seconds, 1e-12);
  });
}

TEST(plan, holds_no_block_larger_than_the_larger_end) {
  for_each_plan("x2 y2 z2", {8, 8}, Sums::included, 3, [](const ReshardPlan& found) {
    const std::size_t from = local_type(found.request.whole, found.request.from).bytes();
    const std::size_t to = local_type(found.request.whole, found.request.to).bytes();
    EXPECT_EQ(found.peak_block_bytes, static_cast<std::int64_t>(std::max(from, to))) << to_string(found);
    EXPECT_GE(found.peak_bytes, found.peak_block_bytes);
  });
}

// The numbers of a prototype of the search that shares nothing with it.
TEST(plan, has_as_few_steps_as_is_known_for_all_pairs) {
  EXPECT_EQ(pairs_by_steps("x2 y3", {12, 12}), (std::vector{29, 62, 28, 2}));
  EXPECT_EQ(pairs_by_steps("x2 y2 z2", {16, 16}), (std::vector{193, 1140, 996, 72}));
}

TEST(plan, receives_no_less_than_what_a_device_lacks) {
  for_each_plan("x2 y2 z2", {8, 8}, Sums::excluded, 3, [](const ReshardPlan& found) {
    const PlanRequest& request = found.request;
    std::int64_t lacks = 0;
    for (int device = 0; device < request.from.mesh.devices(); ++device) {
      const Box want = block(device, request.to, request.whole.shape());
      const Box have = block(device, request.from, request.whole.shape());
      lacks = std::max(lacks, want.elements() - intersection(want, have).elements());
    }
    EXPECT_GE(found.totals.bytes, 4 * lacks) << to_string(found);
    PlanRequest boxes = request;
    boxes.options.direct = true;
    const ReshardPlan direct = plan(boxes);
    EXPECT_EQ(direct.totals.bytes, 4 * lacks) << to_string(direct);
    EXPECT_LE(direct.steps.size(), 1U) << to_string(direct);
    EXPECT_EQ(direct.totals.steps, lacks == 0 ? 0 : 1) << to_string(direct);
  });
}

// The search heads for the target by this bound; one that is too high loses plans.
TEST(plan, receives_no_less_than_the_bound_of_the_search) {
  for (std::string_view mesh : {"x2 y2 z2", "x2 y3"}) {
    const Mesh devices = mesh_of(mesh);
    const PlanSpace space{devices.axes().size() == 3 ? std::vector<std::int64_t>{2, 2, 2}
                                                     : std::vector<std::int64_t>{2, 3},
                          {24, 24}};
    auto state = [&](const Sharding& sharding) {
      PlanState found;
      auto numbers = [&](const Axes& axes) {
        std::vector<int> all;
        for (const Axis& axis : axes) all.push_back(axis.id - devices.axes()[0].id);
        return all;
      };
      for (const Axes& axes : sharding.dims) found.dims.push_back(numbers(axes));
      found.unreduced = numbers(sharding.unreduced);
      return found;
    };
    StateGraph graph(space, {});
    for_each_plan(mesh, {24, 24}, Sums::included, 7, [&](ReshardPlan found) {
      found.request.options.objective = PlanObjective::bytes;
      found = plan(found.request);
      const int from = graph.number(state(found.request.from)), to = graph.number(state(found.request.to));
      EXPECT_LE(4 * graph.least_received(from, to), found.totals.bytes) << to_string(found);
    });
  }
}

TEST(plan, has_scratch_where_parts_are_packed_or_unpacked) {
  const Mesh mesh = mesh_of("x4");
  auto scratch = [&](const Shape& shape, std::string_view from, std::string_view to) {
    const ReshardPlan found =
        plan({Type(DType::f32, shape), sharding_of(mesh, 2, from), sharding_of(mesh, 2, to)});
    return found.steps.at(0).scratch_bytes;
  };
  EXPECT_EQ(scratch({8, 8}, "[x][]", ""), 0);  // rows follow each other
  EXPECT_EQ(scratch({8, 8}, "[][x]", ""), 256);
  EXPECT_EQ(scratch({1, 8}, "[][x]", ""), 0);
  EXPECT_EQ(scratch({8, 8}, "[][]{x}", "[x][]"), 0);
  EXPECT_EQ(scratch({8, 8}, "[][]{x}", "[][x]"), 256);
  EXPECT_EQ(scratch({8, 8}, "[x][]", "[][x]"), 64);  // packed, received in order
  EXPECT_EQ(scratch({8, 8}, "[][x]", "[x][]"), 64);
  EXPECT_EQ(scratch({8, 8}, "[][]{x}", ""), 0);
}

TEST(plan, of_one_exchange_of_boxes_lets_owners_of_a_block_take_turns) {
  auto sent = [](std::string_view mesh, std::string_view from, std::string_view to) {
    const Mesh on = mesh_of(mesh);
    const PlanRequest request{Type(DType::f32, {16, 16}),
                              sharding_of(on, 2, from),
                              sharding_of(on, 2, to),
                              {.direct = true}};
    return plan(request).steps.at(0).sent_bytes;
  };
  EXPECT_EQ(sent("x4 y4", "[x][]", "[y][]"), 256);  // four have a block that three lack
  EXPECT_EQ(sent("x2 y2", "[xy][]", "[x][]"), 256);
  EXPECT_EQ(sent("x2 y2", "[x][y]", ""), 3 * 256);    // its block to three
  EXPECT_EQ(sent("x2 y2", "[xy][]", "[][xy]"), 192);  // a quarter of its block stays
}

TEST(plan, costs_no_more_than_a_way_through_a_third_sharding) {
  const Shape shape{6, 6};
  const std::vector<Sharding> all = all_shardings(mesh_of("x2 y3"), shape, Sums::excluded);
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> bytes;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b)
      bytes[{a, b}] =
          plan({Type(DType::f32, shape), all[a], all[b], {.objective = PlanObjective::bytes}}).totals.bytes;
  auto block_of = [&](std::size_t i) { return local_type(Type(DType::f32, shape), all[i]).bytes(); };
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b)
      for (std::size_t c = 0; c < all.size(); ++c) {
        if (block_of(b) > std::max(block_of(a), block_of(c))) continue;
        EXPECT_LE((bytes[{a, c}]), (bytes[{a, b}] + bytes[{b, c}]))
            << to_string(all[a]) << to_string(all[b]) << to_string(all[c]);
      }
}

TEST(plan, costs_the_same_under_other_names_and_with_dims_exchanged) {
  const Mesh other({{"row", 2}, {"column", 3}});
  auto renamed = [&](Sharding sharding) {
    auto rename = [&](Axes& axes) {
      for (Axis& axis : axes) axis = other.axes()[axis.size == 2 ? 0 : 1];
    };
    for (Axes& axes : sharding.dims) rename(axes);
    rename(sharding.unreduced);
    sharding.mesh = other;
    std::ranges::reverse(sharding.dims);
    return sharding;
  };
  for_each_plan("x2 y3", {6, 12}, Sums::included, 1, [&](const ReshardPlan& found) {
    PlanRequest request = found.request;
    request.whole = Type(DType::f32, {12, 6});
    request.from = renamed(request.from);
    request.to = renamed(request.to);
    const ReshardPlan same = plan(request);
    EXPECT_EQ(same.totals.steps, found.totals.steps) << to_string(found) << to_string(same);
    EXPECT_EQ(same.totals.bytes, found.totals.bytes) << to_string(found) << to_string(same);
    EXPECT_EQ(wrong_data(same), "") << to_string(same);
  });
}

/// The same sharding where x of 4 devices is xy of 2 times 2.
Sharding with_x_cut(const Sharding& sharding, const Mesh& cut) {
  auto in_two = [&](const Axes& axes) {
    Axes found;
    for (const Axis& axis : axes) {
      if (axis.name == "x") found.insert(found.end(), {cut.axes()[0], cut.axes()[1]});
      else found.push_back(cut.axes()[2]);
    }
    return found;
  };
  Sharding found{cut, {}, in_two(sharding.unreduced), {}};
  for (const Axes& axes : sharding.dims) found.dims.push_back(in_two(axes));
  return found;
}

TEST(plan, costs_no_more_on_a_mesh_whose_axis_is_cut_in_two) {
  const Mesh cut = mesh_of("x2 y2 z2");
  for_each_plan("x4 z2", {8, 8}, Sums::included, 1, [&](const ReshardPlan& one) {
    PlanRequest request = one.request;
    request.from = with_x_cut(request.from, cut);
    request.to = with_x_cut(request.to, cut);
    const ReshardPlan two = plan(request);
    switch (request.options.objective) {
      case PlanObjective::time: break;  // masks are along one axis each: two where there was one
      case PlanObjective::bytes: EXPECT_LE(two.totals.bytes, one.totals.bytes) << to_string(two); break;
      case PlanObjective::steps: EXPECT_LE(two.totals.steps, one.totals.steps) << to_string(two); break;
    }
    if (one.totals.steps == 1 && two.totals.steps == 1 && request.options.objective == PlanObjective::bytes) {
      EXPECT_EQ(two.totals.bytes, one.totals.bytes) << to_string(one) << to_string(two);
    }
    EXPECT_EQ(wrong_data(two), "") << to_string(two);
  });
}

TEST(plan, is_the_same_each_time) {
  for_each_plan("x2 y2 z2", {8, 8}, Sums::included, 101, [](const ReshardPlan& found) {
    EXPECT_EQ(to_string(plan(found.request)), to_string(found));
  });
}

TEST(plan, that_was_asked_for_before_is_shared_among_threads) {
  const Mesh mesh = mesh_of("x2 y4");
  PlanRequest request{Type(DType::f32, {16, 16}), sharding_of(mesh, 2, "[x][y]"),
                      sharding_of(mesh, 2, "[y]")};
  const auto first = shared_plan(request);
  EXPECT_EQ(to_string(*first), to_string(plan(request)));
  std::vector<std::shared_ptr<const ReshardPlan>> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& each : found) threads.emplace_back([&each, request] { each = shared_plan(request); });
  }
  for (const auto& each : found) EXPECT_EQ(each, first);
  request.options.links = {{"x", 10.0}};
  EXPECT_NE(shared_plan(request), first);
  request.options = {.cap = 2};
  EXPECT_NE(shared_plan(request), first);
  request.options = {};
  std::swap(request.from, request.to);
  EXPECT_NE(shared_plan(request), first);
}

TEST(plan, has_runners_up_that_differ_from_it_and_from_each_other) {
  for_each_plan("x2 y2 z2", {8, 8}, Sums::included, 17, [](const ReshardPlan& found) {
    auto text = [](const std::vector<PlanStep>& steps) {
      std::string all;
      for (const PlanStep& step : steps) all += std::string(name(step.kind)) + to_string(step.after);
      return all;
    };
    std::set<std::string> seen{text(found.steps)};
    for (const ReshardPlan::Other& other : found.others) {
      EXPECT_TRUE(seen.insert(text(other.steps)).second) << to_string(found);
      EXPECT_NE(other.why, "");
    }
    EXPECT_EQ(found.others.size(), found.totals.steps > 0 ? 2U : 0U) << to_string(found);
  });
}

TEST(plan, avoids_a_link_that_is_dear) {
  const Mesh mesh = mesh_of("x2 y2");
  PlanRequest request{Type(DType::f32, {8, 8}), sharding_of(mesh, 2, "[xy][]"), sharding_of(mesh, 2, "")};
  request.options.objective = PlanObjective::steps;
  EXPECT_EQ(plan(request).totals.cost_of_bytes, 3 * 64);
  request.options.links = {{"x", 10.0}};
  EXPECT_EQ(plan(request).totals.cost_of_bytes, 64 + 2 * 640);  // one peer along y, two that differ in x
  request.options.links = {{"x", 0.5}, {"y", 2.0}};
  EXPECT_EQ(plan(request).totals.cost_of_bytes, 32 + 2 * 128);
  // Across x before there are more blocks to send: y goes to dim 1, then x is gathered, then y.
  request.options = {.objective = PlanObjective::bytes, .links = {{"x", 10.0}}};
  EXPECT_EQ(plan(request).totals.cost_of_bytes, 32 + 640 + 128);
}

TEST(plan, has_no_steps_where_only_axes_of_size_1_or_equal_values_differ) {
  const Mesh mesh({{"x", 1}, {"y", 2}, {"z", 2}});
  const Axis x = mesh.axes()[0], y = mesh.axes()[1], z = mesh.axes()[2];
  const Type whole(DType::f32, {4, 4});
  EXPECT_TRUE(plan({whole, {mesh, {{y, x}, {}}, {}, {}}, {mesh, {{y}, {x}}, {}, {}}}).steps.empty());
  EXPECT_TRUE(plan({whole, {mesh, {{y}, {}}, {x}, {}}, {mesh, {{y}, {}}, {}, {}}}).steps.empty());
  EXPECT_TRUE(plan({whole, {mesh, {{y}, {}}, {}, {z}}, {mesh, {{y}, {}}, {}, {}}}).steps.empty());
  EXPECT_TRUE(plan({whole, {mesh, {{y}, {}}, {}, {}}, {mesh, {{y}, {}}, {}, {z}}}).steps.empty());
}

TEST(plan, lets_no_step_use_an_axis_that_is_reduced_on_both_sides) {
  const Mesh mesh = mesh_of("x2 y2 z2");
  const Axis x = mesh.axes()[0], z = mesh.axes()[2];
  Sharding from = sharding_of(mesh, 2, "[x][y]"), to = sharding_of(mesh, 2, "[][xy]");
  from.reduced = to.reduced = {z};
  const ReshardPlan found = plan({Type(DType::f32, {8, 8}), from, to});
  EXPECT_EQ(found.steps.front().before, from);
  EXPECT_EQ(found.steps.back().after, to);
  for (const PlanStep& step : found.steps) {
    EXPECT_EQ(step.after.reduced, Axes{z});
    EXPECT_FALSE(contains(step.axes, z));
  }
  // A reduced axis that is to split a dim is as good as a free one.
  to.dims[1] = {x, mesh.axes()[1], z};
  to.reduced = {};
  EXPECT_EQ(plan({Type(DType::f32, {8, 8}), from, to}).steps.back().after, to);
}

TEST(plan, keeps_the_order_in_which_a_target_names_unreduced_axes) {
  const Mesh mesh = mesh_of("x2 y2");
  Sharding from = sharding_of(mesh, 1, "[]"), to = from;
  to.unreduced = {mesh.axes()[1], mesh.axes()[0]};
  EXPECT_EQ(plan({Type(DType::f32, {8}), from, to}).steps.back().after, to);
}

}  // namespace
}  // namespace tutti
