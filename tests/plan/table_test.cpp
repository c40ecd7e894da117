// SPDX-License-Identifier: Apache-2.0
// Plans of the written transitions. shardy.has_a_column_in_the_table (tests/oracle) prints them beside other systems.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tutti
