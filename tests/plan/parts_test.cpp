// SPDX-License-Identifier: Apache-2.0
// Plans along parts of axes.
#include <gtest/gtest.h>

#include "tests/plan/boxes_interpreter.hpp"
#include "tests/plan/interpreter.hpp"
#include "tests/support/full_sets.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tree/specs.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

/// Every pair of shardings whose steps may be along each prime factor of `axis`. Each sharding stands on the
/// mesh that is cut where it needs it, as its text does.
void expect_right_data(const Mesh& mesh, const Mesh& finest, const Shape& shape, Sums sums) {
  const Type whole(DType::f32, shape);
  std::vector<Sharding> all;
  for (const Sharding& fine : all_shardings(finest, shape, sums)) {
    all.push_back(parse_sharding(to_string(fine), mesh, whole));
    EXPECT_EQ(refined(all.back(), finest), fine) << to_string(fine);
  }
  for (std::size_t pair = 0; pair < all.size() * all.size(); pair += one_in_sanitized()) {
    const ReshardPlan found = plan({whole, all[pair / all.size()], all[pair % all.size()]});
    ASSERT_EQ(wrong_data(found), "") << to_string(found);
  }
}

TEST(plan_of_parts, has_right_data_between_all_shardings_of_an_axis_of_4) {
  const Mesh mesh({{"x", 4}});
  expect_right_data(mesh, refined(mesh, {{2}}), {16, 16}, Sums::included);
}

TEST(plan_of_parts, has_right_data_between_all_shardings_of_an_axis_of_8) {
  const Mesh mesh({{"x", 8}});
  expect_right_data(mesh, refined(mesh, {{2, 4}}), {8, 8}, Sums::excluded);
}

TEST(plan_of_parts, has_right_data_between_all_shardings_beside_a_whole_axis) {
  const Mesh mesh({{"y", 3}, {"x", 4}});
  expect_right_data(mesh, refined(mesh, {{}, {2}}), {12, 12}, Sums::excluded);
}

PlanRequest request(const Mesh& mesh, std::string_view from, std::string_view to,
                    const ReshardOptions& options) {
  return {Type(DType::f32, {24, 24}), sharding_of(mesh, 2, from), sharding_of(mesh, 2, to), options};
}

TEST(plan_of_parts, stands_on_the_mesh_that_both_sides_need) {
  const Mesh mesh = mesh_of("x8");
  const ReshardPlan found = plan(request(mesh, "[x(1)2][]", "[][x(1)4]", {}));
  EXPECT_EQ(to_string(found.request.from.mesh), "x(1)2=2,x(2)2=2,x(4)2=2");
  EXPECT_EQ(found.request.from.mesh, found.request.to.mesh);
  EXPECT_EQ(to_string(found.request.to), "P(none, x(1)4)");
}

TEST(plan_of_parts, has_fewer_steps_where_it_is_asked_for) {
  const Mesh mesh = mesh_of("x2 y4");
  for (PlanObjective objective : {PlanObjective::time, PlanObjective::steps}) {
    const ReshardPlan whole = plan(request(mesh, "[x][]", "[y][]", {.objective = objective}));
    const ReshardPlan cut = plan(request(mesh, "[x][]", "[y][]", {.objective = objective, .parts = true}));
    EXPECT_EQ(whole.request.from.mesh, mesh);
    EXPECT_EQ(whole.totals.steps, 2);
    EXPECT_EQ(cut.totals.steps, 1) << to_string(cut);
    ASSERT_FALSE(cut.others.empty());
    EXPECT_EQ(cut.others[0].totals.steps, 2);
    EXPECT_NE(cut.others[0].why, "");
  }
}

TEST(plan_of_parts, has_fewer_bytes_where_it_is_asked_for) {
  const Mesh mesh = mesh_of("x2 y4");
  const auto bytes = [&](bool parts) {
    return plan(request(mesh, "[x][y]", "[y][x]", {.objective = PlanObjective::bytes, .parts = parts}))
        .totals.bytes;
  };
  EXPECT_LT(bytes(true), bytes(false));
}

TEST(plan_of_parts, leaves_axes_whole_where_parts_gain_nothing) {
  const Mesh mesh = mesh_of("x2 y4");
  for (PlanObjective objective : {PlanObjective::time, PlanObjective::bytes, PlanObjective::steps})
    for (const auto& [from, to] :
         {std::pair{"[x][y]", "[xy][]"}, {"[xy][]", "[y][]"}, {"[xy][]", "[xy][]"}}) {
      const ReshardPlan same = plan(request(mesh, from, to, {.objective = objective, .parts = true}));
      EXPECT_EQ(same.request.from.mesh, mesh) << to_string(same);
    }
}

TEST(plan_of_parts, forgets_cuts_that_nobody_needs) {
  const Mesh mesh = mesh_of("x2 y6");
  const Mesh fine = refined(mesh, {{}, {3}});
  const PlanRequest coarse =
      request(mesh, "[y][x]", "[x][y]", {.objective = PlanObjective::steps, .parts = true});
  PlanRequest cut = coarse;
  cut.from = refined(cut.from, fine);
  cut.to = refined(cut.to, fine);
  EXPECT_EQ(plan(cut).totals.steps, plan(coarse).totals.steps);
  EXPECT_EQ(plan(cut).totals.steps, 2);
}

// Only behind a factor of 3 has y a factor of 2 at its end, which is what [x][y] lacks.
TEST(plan_of_parts, tries_the_primes_of_an_axis_in_both_orders) {
  const Mesh mesh = mesh_of("x3 y6");
  const Type whole(DType::f32, {36, 36});
  const ReshardPlan found = plan({whole,
                                  sharding_of(mesh, 2, "[y][x]"),
                                  sharding_of(mesh, 2, "[x][y]"),
                                  {.objective = PlanObjective::steps, .parts = true}});
  EXPECT_NE(to_string(found).find("y(1)3"), std::string::npos) << to_string(found);
  EXPECT_EQ(found.totals.steps, 2);
  EXPECT_EQ(wrong_data(found), "");
}

TEST(plan_of_parts, prints_parts_that_move_together_as_one) {
  const Mesh mesh = mesh_of("x8");
  const std::string text = to_string(plan(request(mesh, "[x][]", "[x(4)2][x(1)4]", {.direct = true})));
  EXPECT_NE(text.find("f32[24,24] on x=8, from P(x) to P(x(4)2, x(1)4)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("x(1)4: 0 -> 1"), std::string::npos) << text;
}

TEST(plan_of_parts, knows_links_by_the_names_of_whole_axes) {
  const Mesh mesh = mesh_of("x4 y2");
  const auto seconds = [&](double cost) {
    return plan(request(mesh, "[x][]", "[x(1)2][]", {.links = {{"x", cost}}})).totals.seconds;
  };
  EXPECT_GT(seconds(100), seconds(1));
}

TEST(plan_of_parts, is_one_collective_if_one_is_enough) {
  EXPECT_EQ(classify(request(mesh_of("x8"), "[x][]", "[x(1)2][]", {})).ours, "all_gather over 'x(2)4'");
  const Mesh mesh = mesh_of("x2 y8");
  const Sharding from = refined(sharding_of(mesh, 2, "[y][]"), refined(mesh, {{}, {2, 4}}));
  const Sharding to = refined(sharding_of(mesh, 2, "[][]"), from.mesh);
  EXPECT_EQ(classify({Type(DType::f32, {24, 24}), from, to}).ours, "all_gather over 'y'");
}

// As between two meshes: the second step begins on the other one.
TEST(plan_of_parts, goes_from_parts_to_others_that_do_not_fit_them) {
  const Mesh mesh = mesh_of("x6");
  const ReshardPlan found = plan(request(mesh, "[x(1)2][]", "[x(1)3][]", {}));
  EXPECT_EQ(found.totals.steps, 1);
  EXPECT_EQ(wrong_boxes(found), "");
  EXPECT_TRUE(to_string(found).starts_with("f32[24,24] on x=6, from P(x(1)2) to P(x(1)3)\n"))
      << to_string(found);
  const ReshardPlan moved = plan(request(mesh, "[x(2)3][]", "[][x(1)3]", {.links = {{"x", 2}}}));
  EXPECT_EQ(wrong_boxes(moved), "");
}

TEST(plan_of_parts, is_kept_apart_from_that_of_whole_axes) {
  const Mesh mesh = mesh_of("x2 y4");
  const auto whole = shared_plan(request(mesh, "[x][]", "[y][]", {}));
  const auto cut = shared_plan(request(mesh, "[x][]", "[y][]", {.parts = true}));
  EXPECT_GT(whole->totals.steps, cut->totals.steps);
  EXPECT_EQ(shared_plan(request(mesh, "[x][]", "[y][]", {.parts = true})), cut);
}

}  // namespace
}  // namespace tutti
