// SPDX-License-Identifier: Apache-2.0
// Plans of the written transitions. shardy.has_a_column_in_the_table (tests/oracle) prints them together with
// other systems.
#include <gtest/gtest.h>

#include "tests/plan/boxes_interpreter.hpp"
#include "tests/plan/interpreter.hpp"
#include "tests/support/transitions.hpp"

namespace tutti {
namespace {

std::int64_t received(const ReshardPlan& plan) {
  return 1152 * plan.totals.bytes / static_cast<std::int64_t>(plan.request.whole.bytes());
}

TEST(plan_table, has_the_steps_and_bytes_of_the_written_transitions) {
  for (const Transition& row : transitions()) {
    const ReshardPlan found = plan(request_of(row, {.objective = PlanObjective::steps}));
    EXPECT_EQ(names_of(found.steps), row.steps) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(received(found), row.received) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(wrong_data(found), "") << "row " << row.number << "\n" << to_string(found);
  }
}

TEST(plan_table, has_the_bytes_and_peers_of_one_exchange_of_boxes) {
  for (const Transition& row : transitions()) {
    if (row.direct < 0) continue;
    const ReshardPlan found = plan(request_of(row, {.direct = true}));
    EXPECT_EQ(received(found), row.direct) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(found.steps.at(0).peers, row.peers) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(wrong_data(found), "") << "row " << row.number << "\n" << to_string(found);
  }
}

TEST(plan_table, has_rows_with_parts_of_axes) {
  for (const Transition& row : transitions_with_parts()) {
    const ReshardPlan found = plan(request_of(row, {.objective = PlanObjective::steps, .parts = true}));
    EXPECT_EQ(names_of(found.steps), row.steps) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(received(found), row.received) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(wrong_boxes(found), "") << "row " << row.number << "\n" << to_string(found);
    const ReshardPlan direct = plan(request_of(row, {.direct = true}));
    EXPECT_EQ(received(direct), row.direct) << "row " << row.number << "\n" << to_string(direct);
    EXPECT_EQ(direct.steps.at(0).peers, row.peers) << "row " << row.number << "\n" << to_string(direct);
    EXPECT_EQ(wrong_boxes(direct), "") << "row " << row.number << "\n" << to_string(direct);
  }
}

TEST(plan_table, keeps_its_steps_and_bytes_where_axes_may_be_cut) {
  for (const Transition& row : transitions()) {
    const ReshardPlan found = plan(request_of(row, {.objective = PlanObjective::steps, .parts = true}));
    // A part of y fits in place of the whole of it, for which a slice would have to make room.
    const std::string_view steps = row.number == 18 ? "permute, all_gather" : row.steps;
    EXPECT_EQ(names_of(found.steps), steps) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(received(found), row.received) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(wrong_data(found), "") << "row " << row.number << "\n" << to_string(found);
  }
}

}  // namespace
}  // namespace tutti
