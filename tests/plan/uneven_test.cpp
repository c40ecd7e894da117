// SPDX-License-Identifier: Apache-2.0
// Plans for dims that do not divide: what moves, and that every element and every term arrives.
#include <gtest/gtest.h>

#include "tests/plan/boxes_interpreter.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/plan/take_step.hpp"

namespace tutti {
namespace {

ReshardPlan planned(std::string_view mesh, const Shape& shape, std::string_view from, std::string_view to,
                    const ReshardOptions& options = {}) {
  const Mesh on = mesh_of(mesh);
  return plan({Type(DType::u8, shape), sharding_of(on, shape.rank(), from), sharding_of(on, shape.rank(), to),
               options});
}

struct Row {
  std::string_view name, mesh;
  Shape shape;
  std::string_view from, to, op;
  std::int64_t received;  // elements, which are bytes
  int peers;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class UnevenRows : public testing::TestWithParam<Row> {};

TEST_P(UnevenRows, move_exactly_what_is_missing) {
  const Row& row = GetParam();
  const ReshardPlan found = planned(row.mesh, row.shape, row.from, row.to);
  ASSERT_EQ(found.steps.size(), 1U) << to_string(found);
  EXPECT_EQ(op_name(found.steps[0]), row.op);
  EXPECT_EQ(found.totals.bytes, row.received) << to_string(found);
  EXPECT_EQ(found.steps[0].received_bytes, row.received);
  EXPECT_EQ(found.steps[0].peers, row.peers);
  EXPECT_EQ(found.totals.steps, row.received > 0 ? 1 : 0);
  EXPECT_EQ(wrong_boxes(found), "") << to_string(found);
}

INSTANTIATE_TEST_SUITE_P(table, UnevenRows,
                         testing::Values(Row{"U1", "x4", {10, 8}, "[x]", "", "exchange", 72, 3},
                                         Row{"U2", "x4", {10, 6}, "[x]", "[][x]", "all_to_all", 14, 3},
                                         Row{"U3", "x4", {3}, "", "[x]", "slice", 0, 0},
                                         Row{"U4", "x2 y2", {10, 8}, "[x]", "[xy]", "exchange", 8, 1},
                                         Row{"U5", "x2 y2", {11, 8}, "[x]", "[xy]", "slice", 0, 0}));

TEST(uneven, sums_are_scattered_where_padded_blocks_fit) {
  const ReshardPlan fits = planned("x2 y2", {11, 8}, "[x]{y}", "[xy]");
  ASSERT_EQ(fits.steps.size(), 1U) << to_string(fits);
  EXPECT_EQ(fits.steps[0].kind, StepKind::reduce_scatter);
  EXPECT_EQ(fits.totals.bytes, 6 * 8 / 2);
  const ReshardPlan does_not = planned("x2 y2", {10, 8}, "[x]{y}", "[xy]");
  ASSERT_EQ(does_not.steps.size(), 2U) << to_string(does_not);
  EXPECT_EQ(does_not.steps[0].kind, StepKind::all_reduce);
  EXPECT_EQ(does_not.steps[1].kind, StepKind::exchange);
  EXPECT_EQ(does_not.steps[1].received_bytes, 8);
}

TEST(uneven, a_slice_comes_before_the_sum) {
  const ReshardPlan found = planned("x2 y3", {10, 8}, "{x}", "[y]");
  ASSERT_EQ(found.steps.size(), 2U) << to_string(found);
  EXPECT_EQ(found.steps[0].kind, StepKind::slice);
  EXPECT_EQ(found.steps[1].kind, StepKind::all_reduce);
  EXPECT_EQ(found.totals.bytes, 4 * 8);  // 2 (n-1)/n of a block of 4 rows
}

TEST(uneven, blocks_of_plans_are_the_padded_ones) {
  const ReshardPlan found = planned("x4", {10, 8}, "[x]", "");
  EXPECT_EQ(found.peak_block_bytes, 80);
  EXPECT_EQ(planned("x4", {10, 6}, "[x]", "[][x]").peak_block_bytes, 20);  // 10 x 2; 3 x 6 before
}

/// All pairs, one in so many, also with --direct, which is the same.
void expect_right_boxes(std::string_view mesh, const Shape& shape, Sums sums, std::size_t one_in) {
  const std::vector<Sharding> all = all_shardings(mesh_of(mesh), shape.rank(), sums);
  for (std::size_t pair = 0; pair < all.size() * all.size(); pair += one_in) {
    const PlanRequest request{Type(DType::f32, shape),
                              all[pair / all.size()],
                              all[pair % all.size()],
                              {.direct = pair % 2 == 0}};
    const ReshardPlan found = plan(request);
    ASSERT_EQ(wrong_boxes(found), "") << to_string(found);
    ASSERT_EQ(found.steps.empty(), request.from == request.to) << to_string(found);
    if (request.from.unreduced.empty() && request.to.unreduced.empty()) {
      ASSERT_GE(found.totals.bytes, 4 * missing_elements(request)) << to_string(found);
    }
  }
}

TEST(uneven, data_is_right_for_all_pairs_and_sums) {
  expect_right_boxes("x2 y2", {7, 5}, Sums::included, 1);
  expect_right_boxes("x4", {10, 6}, Sums::included, 1);
  expect_right_boxes("x2 y3", {10}, Sums::included, 1);
  expect_right_boxes("x2 y3", {11, 4}, Sums::included, 3);
  expect_right_boxes("x2 y2 z2", {9, 6}, Sums::included, 97);
}
TEST(uneven, data_is_right_with_empty_blocks) {
  expect_right_boxes("x2 y3", {1, 3}, Sums::included, 1);
  expect_right_boxes("x2 y2", {0, 3}, Sums::included, 1);
}

TEST(uneven, plans_are_refused_by_programs) {
  const ReshardPlan found = planned("x4", {10}, "", "[x]");
  EXPECT_EQ(refusal([&] { take(found, Array(Tensor({10}, DType::u8))); }),
            "T005 dim 0 of u8[10] does not split over the 4 devices of 'x'; pad it or use another dim");
}

TEST(uneven, classify_names_what_is_enough) {
  auto one = [](std::string_view mesh, const Shape& shape, std::string_view from, std::string_view to) {
    const Mesh on = mesh_of(mesh);
    return classify(
        {Type(DType::f32, shape), sharding_of(on, shape.rank(), from), sharding_of(on, shape.rank(), to)});
  };
  EXPECT_EQ(one("x4", {10, 8}, "[x]", "").ours, "exchange of boxes");
  EXPECT_EQ(one("x4", {10, 8}, "[x]", "").nvfuser, "error: only even splits");
  EXPECT_EQ(one("x4", {10, 8}, "[x]", "[x]").ours, "nothing");
  EXPECT_EQ(one("x2 y2", {11, 8}, "[x]", "[xy]").ours, "slice over 'y'");
  EXPECT_EQ(one("x2 y2", {10, 8}, "[x]", "[xy]").ours, "exchange of boxes");
  EXPECT_EQ(one("x2 y2", {10, 8}, "[x]{y}", "[x]").ours, "psum over 'y'");
}

}  // namespace
}  // namespace tutti
