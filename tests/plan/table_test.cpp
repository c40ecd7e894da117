// SPDX-License-Identifier: Apache-2.0
// Transitions written out: the fewest steps that communicate, what a device receives, and the least that it could.
// This prints them all, with the one collective that would do and with what nvFuser does:
//   TUTTI_PRINT=1 build/release/bin/plan_tests --gtest_filter=plan_table.*
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/plan/interpreter.hpp"

namespace tutti {
namespace {

struct Row {
  int number;
  std::string_view mesh;
  Shape shape;
  std::string_view from, to;
  std::string_view steps;
  std::int64_t received;  // of 1152 parts of the whole
  std::int64_t direct;    // likewise, by one exchange of boxes; -1: there are sums
  int peers;              // of that
};

/// n / d of the whole.
constexpr std::int64_t part(std::int64_t n, std::int64_t d) { return 1152 * n / d; }

const std::vector<Row>& rows() {
  static const Shape square{16, 16}, twelve{12, 12}, cube{8, 8, 8};
  static const std::vector<Row> all{
      {1, "x4", square, "", "[x][]", "slice", 0, 0, 0},
      {2, "x4", square, "[x][]", "", "all_gather", part(3, 4), part(3, 4), 3},
      {3, "x4", square, "[x][]", "[][x]", "exchange", part(3, 16), part(3, 16), 3},
      {4, "x4", square, "[][]{x}", "", "psum", part(3, 2), -1, 0},
      {5, "x4", square, "[][]{x}", "[x][]", "psum_scatter", part(3, 4), -1, 0},
      {6, "x4", square, "", "[][]{x}", "mask", 0, -1, 0},
      {7, "x4", square, "[x][]", "[][]{x}", "mask", 0, -1, 0},
      {8, "x2 y4", square, "[x][]", "[xy][]", "slice", 0, 0, 0},
      {9, "x2 y4", square, "[xy][]", "[x][]", "all_gather", part(3, 8), part(3, 8), 3},
      {10, "x2 y4", square, "[xy][]", "[y][]", "permute, all_gather", part(1, 4), part(1, 4), 2},
      {11, "x2 y4", square, "[xy][]", "[yx][]", "permute", part(1, 8), part(1, 8), 1},
      {12, "x2 y2", square, "[x][y]", "[y][x]", "permute", part(1, 4), part(1, 4), 1},
      {14, "x2 y3", twelve, "[x][y]", "[y][x]", "exchange, exchange, exchange", part(11, 36), part(1, 6), 3},
      {15, "x2 y4", square, "[x][]", "[][y]", "slice, all_gather", part(1, 8), part(1, 8), 1},
      {16, "x2 y2", square, "[x][]", "[y][]", "permute", part(1, 2), part(1, 2), 1},
      {18, "x2 y4", square, "[y][]", "[x][]", "slice, permute, all_gather", part(1, 2), part(1, 2), 2},
      {19, "x2 y4", square, "[x][]", "[][xy]", "slice, exchange", part(7, 64), part(1, 16), 1},
      {20, "x2 y4", square, "[xy][]", "[x][y]", "exchange", part(3, 32), part(3, 32), 3},
      {21, "x2 y4", square, "[x][y]", "[xy][]", "exchange", part(3, 32), part(3, 32), 3},
      {22, "x2 y4", square, "[x][y]", "[][xy]", "exchange, permute", part(3, 16), part(1, 8), 2},
      {23, "x2 y4", square, "[x][y]", "[][yx]", "exchange", part(1, 16), part(1, 16), 1},
      {24, "x2 y4", square, "[xy][]", "[][xy]", "exchange", part(7, 64), part(7, 64), 7},
      {25, "x2 y2", square, "[yx][]", "[][xy]", "exchange", part(3, 16), part(3, 16), 3},
      {26, "x2 y2", cube, "[x][y][]", "[][x][y]", "exchange, exchange", part(1, 4), part(1, 4), 2},
      {27, "x2 y2 z2", cube, "[y][xz][]", "[][][xyz]", "exchange", part(7, 64), part(7, 64), 7},
      {28, "x2 y2", cube, "[y][x][]", "[][][xy]", "exchange", part(3, 16), part(3, 16), 3},
      {29, "x2 y2", {4, 4, 4, 4}, "[x][y][][]", "[][][x][y]", "exchange", part(3, 16), part(3, 16), 3},
      {30, "x2 y4", square, "[x][y]", "", "all_gather", part(7, 8), part(7, 8), 7},
      {31, "x2 y4", square, "[x][y]", "[y][]", "all_gather, exchange", part(5, 16), part(1, 4), 4},
      {32, "x2 y4", square, "[y][]{x}", "[yx][]", "psum_scatter", part(1, 8), -1, 0},
      {33, "x2 y4", square, "[y][]{x}", "[xy][]", "psum_scatter, permute", part(1, 4), -1, 0},
      {34, "x2 y4", square, "[][]{xy}", "[x][y]", "psum_scatter", part(7, 8), -1, 0},
      {35, "x2 y4", square, "[][]{xy}", "", "psum", part(7, 4), -1, 0},
      {36, "x2 y4", square, "[][]{xy}", "[][]{x}", "psum", part(3, 2), -1, 0},
      {37, "x2 y4", square, "[][y]{x}", "[][y]", "psum", part(1, 4), -1, 0},
      {38, "x2 y4", square, "[y][]{x}", "[][xy]", "psum_scatter, exchange", part(7, 32), -1, 0},
      {39, "x2 y4", square, "[y][]{x}", "[x][]", "psum_scatter, permute, all_gather", part(5, 8), -1, 0},
      {40, "x2 y4", square, "[y][]{x}", "", "psum_scatter, all_gather", part(1, 1), -1, 0},
      {41, "x2 y2", square, "[][]{x}", "[][]{y}", "slice, psum, mask", part(1, 2), -1, 0},
      {42, "x2 y4", square, "[][]{x}", "[y][]", "slice, psum", part(1, 4), -1, 0},
      {50, "x2 y2 z2", square, "[xyz][]", "[zyx][]", "permute", part(1, 8), part(1, 8), 1},
      {51, "x2 y2 z2", cube, "[xyz][][]", "[x][y][z]", "exchange", part(3, 32), part(3, 32), 3},
      {52, "x2 y2 z2", cube, "[x][y][z]", "[z][x][y]", "permute", part(1, 8), part(1, 8), 1},
      {53, "x2 y2 z2", cube, "[x][y][]", "[y][][x]", "exchange, exchange", part(1, 4), part(1, 4), 2},
      {54, "x2 y2 z2", cube, "[xz][y][]", "[][x][yz]", "exchange, exchange", part(5, 32), part(1, 8), 4},
      {55, "x2 y2 z2", square, "[z][y]", "[zy][x]", "slice, permute", part(1, 8), part(1, 8), 1},
      {56, "x2 y2 z2", square, "[x][z]", "[y][x]", "permute", part(1, 4), part(1, 4), 1},
  };
  return all;
}

PlanRequest request_of(const Row& row, const ReshardOptions& options) {
  const Mesh mesh = mesh_of(row.mesh);
  return {Type(DType::f32, row.shape), sharding_of(mesh, row.shape.rank(), row.from),
          sharding_of(mesh, row.shape.rank(), row.to), options};
}

std::string names_of(const ReshardPlan& plan) {
  std::string text;
  for (const PlanStep& step : plan.steps) text += (text.empty() ? "" : ", ") + std::string(name(step.kind));
  return text;
}

void print(const Row& row, const ReshardPlan& plan) {
  const Classified one = classify(plan.request);
  fmt::print("{:>3}  {:<8}  {:<12} -> {:<10}  {:<34}  {:>5} bytes  {:<42}  nvFuser: {}\n", row.number,
             row.mesh, row.from.empty() ? "R" : row.from, row.to.empty() ? "R" : row.to, names_of(plan),
             plan.totals.bytes, one.ours, one.nvfuser);
}

std::int64_t received(const ReshardPlan& plan) {
  return 1152 * plan.totals.bytes / static_cast<std::int64_t>(plan.request.whole.bytes());
}

TEST(plan_table, has_the_steps_and_bytes_of_the_written_transitions) {
  for (const Row& row : rows()) {
    const ReshardPlan found = plan(request_of(row, {.objective = PlanObjective::steps}));
    EXPECT_EQ(names_of(found), row.steps) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(received(found), row.received) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(wrong_data(found), "") << "row " << row.number << "\n" << to_string(found);
    if (std::getenv("TUTTI_PRINT") != nullptr) print(row, found);
  }
}

TEST(plan_table, has_the_bytes_and_peers_of_one_exchange_of_boxes) {
  for (const Row& row : rows()) {
    if (row.direct < 0) continue;
    const ReshardPlan found = plan(request_of(row, {.direct = true}));
    EXPECT_EQ(received(found), row.direct) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(found.steps.at(0).peers, row.peers) << "row " << row.number << "\n" << to_string(found);
    EXPECT_EQ(wrong_data(found), "") << "row " << row.number << "\n" << to_string(found);
  }
}

}  // namespace
}  // namespace tutti
