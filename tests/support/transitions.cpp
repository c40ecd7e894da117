// SPDX-License-Identifier: Apache-2.0
#include "tests/support/transitions.hpp"

#include <fmt/core.h>

#include "tests/support/shardings.hpp"

namespace tutti {
namespace {

/// n / d of the whole.
constexpr std::int64_t part(std::int64_t n, std::int64_t d) { return 1152 * n / d; }

}  // namespace

const std::vector<Transition>& transitions() {
  static const Shape square{16, 16}, twelve{12, 12}, cube{8, 8, 8};
  static const std::vector<Transition> all{
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

const std::vector<Transition>& transitions_with_parts() {
  static const Shape square{16, 16}, twelve{12};
  static const std::vector<Transition> all{
      {13, "x2 y4", square, "[x][y]", "[y][x]", "exchange, permute", part(3, 16), part(1, 8), 2},
      {17, "x2 y4", square, "[x][]", "[y][]", "slice, permute", part(1, 4), part(1, 4), 1},
      {43, "x8", square, "[x][]", "[x(1)4][]", "all_gather", part(1, 8), part(1, 8), 1},
      {44, "x4", square, "[x(1)2][]", "[x][]", "slice", 0, 0, 0},
      {45, "x4", square, "[x][]", "[x(1)2][x(2)2]", "exchange", part(1, 8), part(1, 8), 1},
      {46, "x4", square, "[x][]", "[x(2)2][x(1)2]", "exchange, exchange", part(5, 16), part(1, 4), 2},
      {47, "x4", square, "[x(1)2][]", "[x(2)2][]", "permute", part(1, 2), part(1, 2), 1},
      {48, "x6", twelve, "[x(1)2]", "[x(1)3]", "slice, all_gather", part(1, 6), part(1, 6), 1},
      {49, "x6", twelve, "[x(2)3]", "[x(1)3]", "move", part(1, 3), part(1, 3), 1},
  };
  return all;
}

PlanRequest request_of(const Transition& row, const ReshardOptions& options) {
  const Mesh mesh = mesh_of(row.mesh);
  return {Type(DType::f32, row.shape), sharding_of(mesh, row.shape.rank(), row.from),
          sharding_of(mesh, row.shape.rank(), row.to), options};
}

std::string names_of(const std::vector<PlanStep>& steps) {
  std::string text;
  for (const PlanStep& step : steps) text += (text.empty() ? "" : ", ") + std::string(name(step.kind));
  return text;
}

std::string row_text(const Transition& row, const ReshardPlan& plan) {
  return fmt::format("{:>3}  {:<8}  {:<12} -> {:<14}  {:<34}  {:>5} bytes", row.number, row.mesh,
                     row.from.empty() ? "R" : row.from, row.to.empty() ? "R" : row.to, names_of(plan.steps),
                     plan.totals.bytes);
}

}  // namespace tutti
