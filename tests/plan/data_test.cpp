// SPDX-License-Identifier: Apache-2.0
// Plans bring every element and every term to where the target has it.
#include <gtest/gtest.h>

#include "tests/plan/interpreter.hpp"
#include "tests/support/full_sets.hpp"

namespace tutti {
namespace {

constexpr PlanObjective objectives[] = {PlanObjective::time, PlanObjective::bytes, PlanObjective::steps};

/// Plans and runs one in so many of all pairs of shardings, the objectives in turn.
void expect_right_data(std::string_view mesh, const Shape& shape, Sums sums, std::size_t one_in,
                       bool direct = false) {
  const std::vector<Sharding> all = all_shardings(mesh_of(mesh), shape, sums);
  for (std::size_t pair = 0; pair < all.size() * all.size(); pair += one_in * one_in_sanitized()) {
    PlanRequest request{Type(DType::f32, shape), all[pair / all.size()], all[pair % all.size()]};
    request.options.objective = objectives[pair % 3];
    request.options.direct = direct;
    const ReshardPlan found = plan(request);
    ASSERT_EQ(wrong_data(found), "") << to_string(found);
    if (pair % 5 == 0)
      for (const ReshardPlan::Other& other : found.others) {
        ReshardPlan instead = found;
        instead.steps = other.steps;
        ASSERT_EQ(wrong_data(instead), "") << to_string(instead);
      }
  }
}

TEST(plan_data, is_right_for_all_pairs_on_2x2x2) {
  expect_right_data("x2 y2 z2", Shape{8, 8}, Sums::excluded, 1);
}
TEST(plan_data, is_right_where_few_dims_divide) {
  expect_right_data("x2 y2 z2", Shape{2, 8, 4}, Sums::excluded, 5);
  expect_right_data("x2 y2 z2", Shape{4}, Sums::included, 1);
}
TEST(plan_data, is_right_for_sums_on_2x2x2) { expect_right_data("x2 y2 z2", Shape{8, 8}, Sums::included, 7); }
TEST(plan_data, is_right_for_all_pairs_and_sums_on_2x3) {
  expect_right_data("x2 y3", Shape{6}, Sums::included, 1);
  expect_right_data("x2 y3", Shape{6, 12}, Sums::included, 1);
  expect_right_data("x2 y3", Shape{6, 6, 6}, Sums::included, 3);
}
TEST(plan_data, is_right_for_axes_of_different_sizes) {
  expect_right_data("x4 y2", Shape{8, 8}, Sums::included, 1);
  expect_right_data("x6", Shape{6, 12}, Sums::included, 1);
  expect_right_data("x2 y4 z3", Shape{24, 24}, Sums::included, 211);
}
TEST(plan_data, is_right_for_exchanges_of_boxes) {
  expect_right_data("x2 y3", Shape{6, 12}, Sums::included, 1, true);
  expect_right_data("x2 y2 z2", Shape{8, 8}, Sums::included, 17, true);
}

TEST(plan_data, is_right_for_ranks_1_to_3) {
  const std::size_t one_in = tries_full_sets() ? 1 : 997;
  for (std::string_view mesh : {"x2 y2 z2", "x4 y2", "x2 y3", "x6"})
    for (int rank = 1; rank <= 3; ++rank)
      for (bool direct : {false, true})
        expect_right_data(mesh, even_shape(mesh_of(mesh), rank), Sums::included, one_in, direct);
}

TEST(plan_data, is_right_for_many_axes) {
  const Mesh mesh = mesh_of("a2 b2 c2 d2 e2 f2 g2");
  const Type whole(DType::f32, {128, 16});
  for (auto [from, to] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"[abcd][ef]", "[abef][cd]"},
                                                                  {"[abc][def]", "[defg][cba]"},
                                                                  {"", "[gfedcba]"},
                                                                  {"[a][bc]{defg}", "[a][gfed]{bc}"},
                                                                  {"[abcdefg]", "[gfedcba]"},
                                                                  {"[aceg]{bdf}", "[bd][gec]{f}"},
                                                                  {"[ab]{cdefg}", "[ba][g]{cd}"},
                                                                  {"[gfedcba]", "[acegbdf]"}}) {
    const ReshardPlan found = plan({whole, sharding_of(mesh, 2, from), sharding_of(mesh, 2, to)});
    EXPECT_EQ(wrong_data(found), "") << to_string(found);
  }
}

TEST(plan_data, is_right_for_a_scalar_and_for_no_elements) {
  expect_right_data("x2 y3", Shape{}, Sums::included, 1);
  expect_right_data("x2 y3", Shape{0, 6}, Sums::included, 1);
}

// Planted faults: the tests above must notice them.

ReshardPlan planned(std::string_view mesh, const Shape& shape, std::string_view from, std::string_view to) {
  const Mesh devices = mesh_of(mesh);
  return plan({Type(DType::f32, shape), sharding_of(devices, shape.rank(), from),
               sharding_of(devices, shape.rank(), to)});
}

TEST(plan_data, planted_exchange_that_does_not_unpack_is_found) {
  const ReshardPlan found = planned("x2", Shape{4, 4}, "[][x]", "[x][]");
  EXPECT_EQ(wrong_data(found), "");
  EXPECT_EQ(wrong_data(found, Unpack::no), "device 1 does not hold its block");
}

TEST(plan_data, planted_groups_in_mesh_order_are_found) {
  ReshardPlan found = planned("x2 y2", Shape{8, 8}, "[yx][]", "");
  ASSERT_EQ(found.steps.size(), 1U);
  EXPECT_EQ(wrong_data(found), "");
  ASSERT_EQ(found.steps[0].groups, (std::vector<std::vector<int>>{{0, 2, 1, 3}}));
  found.steps[0].groups = {{0, 1, 2, 3}};
  EXPECT_NE(wrong_data(found), "");
}

TEST(plan_data, planted_sum_that_forgets_a_term_is_found) {
  ReshardPlan found = planned("x4", Shape{8}, "[]{x}", "");
  ASSERT_EQ(found.steps.size(), 1U);
  EXPECT_EQ(wrong_data(found), "");
  found.steps[0].groups = {{0, 1, 2}};
  EXPECT_NE(wrong_data(found), "");
}

TEST(plan_data, planted_pair_that_is_missing_is_found) {
  ReshardPlan found = planned("x2 y2", Shape{8}, "[xy]", "[yx]");
  ASSERT_EQ(found.steps.size(), 1U);
  EXPECT_EQ(wrong_data(found), "");
  found.steps[0].groups.pop_back();
  EXPECT_EQ(wrong_data(found), "a block is lost");
}

}  // namespace
}  // namespace tutti
