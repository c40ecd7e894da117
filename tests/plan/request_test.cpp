// SPDX-License-Identifier: Apache-2.0
// Requests that cannot be planned, what one collective is enough, and plans as text.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/support/shardings.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti {
namespace {

const Mesh mesh = mesh_of("x2 y3");
const Axis &x = mesh.axes()[0], &y = mesh.axes()[1];
const Type whole(DType::f32, {6, 12});

PlanRequest request(std::string_view from, std::string_view to, ReshardOptions options = {}) {
  return {whole, sharding_of(mesh, 2, from), sharding_of(mesh, 2, to), std::move(options)};
}
std::string said(const PlanRequest& request) {
  return refusal([&] { plan(request); });
}
std::string said(const Sharding& to) { return said({whole, unsharded(mesh, 2), to}); }

TEST(plan_request, of_another_rank_is_refused) {
  EXPECT_TRUE(said(unsharded(mesh, 3)).starts_with("T013 ")) << said(unsharded(mesh, 3));
}
TEST(plan_request, may_lead_to_another_mesh) { EXPECT_EQ(said(unsharded(mesh_of("x2"), 2)), "accepted"); }
TEST(plan_request, with_an_axis_of_another_mesh_is_refused) {
  const Sharding to{mesh, {{mesh_of("z4").axes()[0]}, {}}, {}, {}};
  EXPECT_EQ(said(to), "T013 " + to_string(to) + " names axis 'z', which the mesh x=2,y=3 does not have");
}
TEST(plan_request, that_names_an_axis_twice_is_refused) {
  const Sharding to{mesh, {{x}, {x}}, {}, {}};
  EXPECT_EQ(said(to), "T013 " + to_string(to) + " names axis 'x' twice; name it once");
}
TEST(plan_request, may_have_a_dim_that_does_not_divide) {
  EXPECT_EQ(said({Type(DType::f32, {6, 8}), unsharded(mesh, 2), sharding_of(mesh, 2, "[][y]")}), "accepted");
}
TEST(plan_request, for_sums_of_bool_is_refused) {
  const Sharding from = sharding_of(mesh, 2, "[][]{x}");
  EXPECT_EQ(said({Type(DType::boolean, {6, 12}), from, unsharded(mesh, 2)}),
            "T007 " + to_string(from) + " of bool[6,12]: bool has no sums; convert it");
}
TEST(plan_request, with_a_link_along_no_axis_is_refused) {
  EXPECT_EQ(said(request("", "[x]", {.links = {{"w", 2.0}}})),
            "T014 a link along 'w', which is no axis of the mesh x=2,y=3; name one of its axes");
}
TEST(plan_request, with_a_link_that_costs_less_than_nothing_is_refused) {
  EXPECT_EQ(said(request("", "[x]", {.links = {{"x", -1.0}}})),
            "T014 a byte along 'x' costs -1; give a number from 0 to 1000000000");
}

TEST(plan_request, with_a_cap_that_no_plan_keeps_is_told_the_least) {
  for (bool direct : {false, true}) {
    const PlanRequest small = request("[x]", "[][x]", {.cap = 0.5, .direct = direct});
    EXPECT_EQ(said(small),
              "R003 no plan from " + to_string(small.from) + " to " + to_string(small.to) +
                  " keeps every block within 0.5 times 144 bytes; the least cap that would do is 1");
  }
  EXPECT_TRUE(said(request("[x]", "[][x]", {.cap = 0})).starts_with("R003 "));
  EXPECT_EQ(said(request("[x]", "[][x]", {.cap = 1})), "accepted");
}

std::pair<std::string, std::string> one(std::string_view devices, const Shape& shape, std::string_view from,
                                        std::string_view to) {
  const Mesh on = mesh_of(devices);
  const Classified found = classify(
      {Type(DType::f32, shape), sharding_of(on, shape.rank(), from), sharding_of(on, shape.rank(), to)});
  return {found.ours, found.nvfuser};
}
using Answers = std::pair<std::string, std::string>;

TEST(classify, names_the_one_collective_on_one_axis) {
  const Shape shape{8, 8};
  EXPECT_EQ(one("x4", shape, "[x]", "[x]"), (Answers{"nothing", "nothing"}));
  EXPECT_EQ(one("x4", shape, "", "[x]"),
            (Answers{"slice over 'x'", "Scatter, which sends what each device has"}));
  EXPECT_EQ(one("x4", shape, "[x]", ""), (Answers{"all_gather over 'x'", "Allgather"}));
  EXPECT_EQ(one("x4", shape, "[]{x}", ""), (Answers{"psum over 'x'", "Allreduce"}));
  EXPECT_EQ(one("x4", shape, "[]{x}", "[x]"), (Answers{"psum_scatter over 'x'", "ReduceScatter"}));
  EXPECT_EQ(one("x4", shape, "", "[]{x}").first, "mask over 'x'");
  EXPECT_EQ(one("x4", shape, "[x]", "[]{x}").first, "mask over 'x'");
}

TEST(classify, says_where_a_flat_exchange_is_wrong) {
  EXPECT_EQ(one("x4", {8, 8}, "[x][]", "[][x]"),
            (Answers{"all_to_all over 'x', dim 0 to dim 1",
                     "AllToAll, wrong data: it neither packs nor unpacks"}));
  EXPECT_EQ(one("x4", {4, 8}, "[x][]", "[][x]").second, "AllToAll");
}

TEST(classify, names_the_one_collective_on_several_axes) {
  const Shape shape{8, 8, 8};
  EXPECT_EQ(one("x2 y2", shape, "[x][y]", ""),
            (Answers{"all_gather over ('x', 'y')", "error: 2 mesh axes change in one expression, one may"}));
  EXPECT_EQ(one("x2 y2", shape, "[yx]", "[][xy]").first, "exchange over ('x', 'y')");
  EXPECT_EQ(one("x2 y2", shape, "[xy]", "[][xy]").first, "all_to_all over ('x', 'y'), dim 0 to dim 1");
  EXPECT_EQ(one("x2 y2", shape, "[x][y]", "[y][x]").first, "permute");
  EXPECT_EQ(one("x2 y2", shape, "[x]", "[y]").first, "permute");
  EXPECT_EQ(one("x2 y2", shape, "[]{xy}", "[y]").first, "psum_scatter over 'y' and psum over 'x'");
  EXPECT_EQ(one("x2 y2", shape, "[x]", "[][y]").first, "composite: ask for a plan");
  EXPECT_EQ(one("x2 y2", shape, "[x]{y}", "").first, "composite: ask for a plan");
}

TEST(classify, says_where_nvfuser_has_no_answer) {
  const Shape shape{8, 8};
  EXPECT_EQ(one("x2 y2", shape, "[x]", "").second,
            "Allgather, wrong groups: always along the last mesh axis");
  EXPECT_EQ(one("x2 y2", shape, "[y]", "").second, "Allgather");
  EXPECT_EQ(one("x2 y2", shape, "", "[y]").second, "error: Scatter needs a mesh of one axis");
  EXPECT_EQ(one("x2 y2", shape, "[y]", "[][y]").second, "error: AllToAll needs a mesh of one axis");
  EXPECT_EQ(one("x2 y2", shape, "[xy]", "[x]").second,
            "error: only the outermost split of a dim is communicated");
  EXPECT_EQ(one("x2 y2 z2 w2", shape, "[x]", "").second, "error: a mesh has three axes at most");
  EXPECT_EQ(one("x4", shape, "", "[]{x}").second, "error: it has no partial values to go to");
}

// Agreement with the planner: what one collective does takes one step, or none.
TEST(classify, agrees_with_plans) {
  for (const Sharding& from : all_shardings(mesh, whole.shape(), Sums::included))
    for (const Sharding& to : all_shardings(mesh, whole.shape(), Sums::included)) {
      const PlanRequest pair{whole, from, to, {.objective = PlanObjective::steps}};
      const std::string ours = classify(pair).ours;
      if (ours.starts_with("composite") || ours.find(" and ") != ours.npos || ours.starts_with("mask"))
        continue;
      const ReshardPlan found = plan(pair);
      ASSERT_LE(found.steps.size(), 1U) << ours << "\n" << to_string(found);
      EXPECT_EQ(found.steps.empty(), ours == "nothing") << ours;
    }
}

TEST(plan_text, is_a_table_of_the_steps) {
  const PlanRequest pair = request("[x][y]", "[y]", {.objective = PlanObjective::steps});
  const std::string text = to_string(plan(pair));
  auto has = [&](const std::string& part) { return text.find(part) != text.npos; };
  EXPECT_TRUE(text.starts_with("f32[6,12] on x=2,y=3, from P(x, y) to P(y)\n")) << text;
  EXPECT_TRUE(has("\n1  all_gather  x: 0 -> all  P(none, y)  6x4 ")) << text;
  EXPECT_TRUE(has("\n2  all_to_all  y: 1 -> 0    P(y)        2x12 ")) << text;
  EXPECT_TRUE(has("\ntotal: 2 steps between devices, 0 local; 112 B received by a device; about 2.0 us\n"))
      << text;
  EXPECT_TRUE(has("\npeak:  a block of 96 B; ")) << text;
}

TEST(plan_text, of_no_steps_says_so) {
  const std::string text = to_string(plan(request("[x]", "[x]")));
  EXPECT_TRUE(text.ends_with("\nno step: every device holds what it needs\n")) << text;
}

}  // namespace
}  // namespace tutti
