// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/ops/worked.hpp"

namespace tutti {
namespace {

// The quadrants of an 8x8 matrix that counts, over x and over y, z; 4 rows, 2 columns each.
Blocks quarters_of_8_by_8() {
  Blocks blocks;
  for (int device = 0; device < 8; ++device) {
    std::vector<double>& block = blocks.emplace_back();
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 2; ++column)
        block.push_back(8 * (device / 4 * 4 + row) + device % 4 * 2 + column);
  }
  return blocks;
}
Blocks halves_of_8_by_8() {
  Blocks blocks;
  for (int device = 0; device < 8; ++device) {
    std::vector<double>& block = blocks.emplace_back();
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column)
        block.push_back(8 * (device / 4 * 4 + row) + device % 4 / 2 * 4 + column);
  }
  return blocks;
}
std::vector<Worked> reductions() {
  return {
      {"1", x4, {}, scalars({0, 1, 2, 3}), [](const Array& x) { return psum(x, "x"); }, {}, {{6}}},
      {"2",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return x * 6 / psum(x, "x"); },
       {},
       scalars({0, 1, 2, 3})},
      {"3",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return psum(x, "x", {.groups = pairs_in_order}); },
       {},
       scalars({1, 1, 5, 5})},
      {"4", x4, {4}, counting(4, 4), [](const Array& x) { return psum(x, "x"); }, {4}, {{24, 28, 32, 36}}},
      {"5",
       x4,
       {4},
       counting(4, 4),
       [](const Array& x) { return psum(x, "x", {.groups = pairs_in_order}); },
       {4},
       {{4, 6, 8, 10}, {4, 6, 8, 10}, {20, 22, 24, 26}}},
      {"6", x4, {4}, pi, [](const Array& x) { return psum(x, "x"); }, {4}, {{22, 20, 12, 17}}},
      {"7",
       x2y2,
       {2, 2},
       {{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}},
       [](const Array& x) { return psum(x, "x"); },
       {2, 2},
       {{8, 10, 16, 18}, {12, 14, 20, 22}, {8, 10, 16, 18}, {12, 14, 20, 22}}},
      {"8",
       x2y2,
       {2, 2},
       {{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}},
       [](const Array& x) { return psum(x, {"x", "y"}); },
       {2, 2},
       {{20, 24, 36, 40}}},
      {"9", x4, {}, scalars({0, 1, 2, 3}), [](const Array& x) { return pmean(x, "x"); }, {}, {{1.5}}},
      {"9_of_integers",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return pmean(convert(x, DType::i32), "x"); },
       {},
       {{1.5}}},
      {"10", x2, {}, scalars({1, 0}), [](const Array& x) { return psum(x > 0, "x"); }, {}, {{1}}},
      {"10_mean", x2, {}, scalars({1, 0}), [](const Array& x) { return pmean(x > 0, "x"); }, {}, {{0.5}}},
      {"12",
       x8,
       {},
       scalars({0, 1, 2, 3, 4, 5, 6, 7}),
       [](const Array& x) { return psum(x, "x", {.groups = {{0, 1}, {2, 3, 4, 5, 6, 7}}}); },
       {},
       scalars({1, 1, 27, 27, 27, 27, 27, 27})},
      {"12_mean",
       x8,
       {},
       scalars({0, 1, 2, 3, 4, 5, 6, 7}),
       [](const Array& x) { return pmean(x, "x", {.groups = {{0, 1}, {2, 3, 4, 5, 6, 7}}}); },
       {},
       scalars({0.5, 0.5, 4.5})},
      {"13",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return psum(psum(x, "x"), "x"); },
       {},
       {{24}}},
      {"14_min", x4, {2}, counting(4, 2), [](const Array& x) { return pmin(x, "x"); }, {2}, {{0, 1}}},
      {"14_max", x4, {2}, counting(4, 2), [](const Array& x) { return pmax(x, "x"); }, {2}, {{6, 7}}},
      {"15",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return pmax(x, "x", {.groups = pairs_in_order}); },
       {},
       scalars({1, 1, 3, 3})},
      {"16_max", x4, {}, scalars({3, 7, 7, 1}), [](const Array& x) { return pargmax(x, "x"); }, {}, {{1}}},
      {"16_min", x4, {}, scalars({2, 0, 0, 5}), [](const Array& x) { return pargmin(x, "x"); }, {}, {{1}}},
      {"16_of_nan",
       x4,
       {},
       scalars({3, 7, NAN, 1}),
       [](const Array& x) { return pargmax(x, "x"); },
       {},
       {{2}}},
      {"16_over_two_axes",
       x2y2,
       {},
       scalars({3, 1, 7, 1}),
       [](const Array& x) { return pargmax(x, {"y", "x"}); },
       {},
       {{1}}},
      {"73_max",
       x2,
       {2, 2},
       counting(2, 4),
       [](const Array& x) { return pmax(reduce_max(x, 0), "x"); },
       {2},
       {{6, 7}}},
      {"73_min",
       x2,
       {2, 2},
       counting(2, 4),
       [](const Array& x) { return pmin(reduce_min(x, 0), "x"); },
       {2},
       {{0, 1}}},
  };
}

std::vector<Worked> gathers() {
  return {
      {"17",
       x4,
       {1},
       scalars({3, 9, 5, 2}),
       [](const Array& x) { return all_gather(x, "x", {.tiled = true}); },
       {4},
       {{3, 9, 5, 2}}},
      {"17_new_dim",
       x4,
       {1},
       scalars({3, 9, 5, 2}),
       [](const Array& x) { return all_gather(x, "x"); },
       {4, 1},
       {{3, 9, 5, 2}}},
      {"18",
       x4,
       {4},
       counting(4, 4),
       [](const Array& x) { return all_gather(x, "x", {.groups = crossed}); },
       {2, 4},
       {{0, 1, 2, 3, 8, 9, 10, 11},
        {12, 13, 14, 15, 4, 5, 6, 7},
        {0, 1, 2, 3, 8, 9, 10, 11},
        {12, 13, 14, 15, 4, 5, 6, 7}}},
      {"19",
       x2,
       {3},
       {{1, 2, 3}, {4, 5, 6}},
       [](const Array& x) { return all_gather(x, "x", {.dim = 1}); },
       {3, 2},
       {{1, 4, 2, 5, 3, 6}}},
      {"20",
       x2,
       {2, 2},
       {{1, 2, 3, 4}, {5, 6, 7, 8}},
       [](const Array& x) { return all_gather(x, "x", {.dim = -1, .tiled = true}); },
       {2, 4},
       {{1, 2, 5, 6, 3, 4, 7, 8}}},
      {"21_xy",
       x2y2,
       {1},
       counting(4, 1),
       [](const Array& x) { return all_gather(x, {"x", "y"}, {.tiled = true}); },
       {4},
       {{0, 1, 2, 3}}},
      {"21_yx",
       x2y2,
       {1},
       counting(4, 1),
       [](const Array& x) { return all_gather(x, {"y", "x"}, {.tiled = true}); },
       {4},
       {{0, 2, 1, 3}}},
      {"22",
       x2y2z2,
       {4, 2},
       quarters_of_8_by_8(),
       [](const Array& x) {
         return all_gather(x, {"y", "z"}, {.dim = 1, .tiled = true, .groups = pairs_in_order});
       },
       {4, 4},
       halves_of_8_by_8()},
  };
}

std::vector<Worked> scatters() {
  return {
      {"23",
       x4,
       {4},
       counting(4, 4),
       [](const Array& x) { return psum_scatter(x, "x"); },
       {},
       scalars({24, 28, 32, 36})},
      {"23_tiled",
       x4,
       {4},
       counting(4, 4),
       [](const Array& x) { return psum_scatter(x, "x", {.tiled = true}); },
       {1},
       scalars({24, 28, 32, 36})},
      {"24",
       x4,
       {4},
       counting(4, 4),
       [](const Array& x) { return psum_scatter(x, "x", {.tiled = true, .groups = crossed}); },
       {2},
       {{8, 10}, {20, 22}, {12, 14}, {16, 18}}},
      {"25",
       x4,
       {4},
       counting(4, 4),
       [](const Array& x) { return psum_scatter(x, "x", {.tiled = true, .groups = odd_and_even}); },
       {2},
       {{8, 10}, {16, 18}, {12, 14}, {20, 22}}},
      {"26",
       x2,
       {2, 2},
       {{1, 2, 3, 4}, {5, 6, 7, 8}},
       [](const Array& x) { return psum_scatter(x, "x", {.dim = 1}); },
       {2},
       {{6, 10}, {8, 12}}},
      {"27",
       x2,
       {2, 4},
       counting(2, 8),
       [](const Array& x) { return psum_scatter(x, "x", {.dim = 1, .tiled = true}); },
       {2, 2},
       {{8, 10, 16, 18}, {12, 14, 20, 22}}},
      {"28_xy",
       x2y2,
       {4},
       {{0, 1, 2, 3}},
       [](const Array& x) { return psum_scatter(x, {"x", "y"}, {.tiled = true}); },
       {1},
       scalars({0, 4, 8, 12})},
      {"28_yx",
       x2y2,
       {4},
       {{0, 1, 2, 3}},
       [](const Array& x) { return psum_scatter(x, {"y", "x"}, {.tiled = true}); },
       {1},
       scalars({0, 8, 4, 12})},
      {"29",
       x8,
       {8, 1},
       columns_of_8_by_8(),
       [](const Array& x) {
         return psum_scatter(x, "x", {.tiled = true, .groups = {{0, 2, 4, 6}, {1, 3, 5, 7}}});
       },
       {2, 1},
       {{12, 44}, {16, 48}, {76, 108}, {80, 112}, {140, 172}, {144, 176}, {204, 236}, {208, 240}}},
      {"30",
       i2j2,
       {4},
       tens,
       [](const Array& x) { return psum_scatter(x, "j", {.tiled = true}); },
       {2},
       {{10, 12}, {14, 16}, {50, 52}, {54, 56}}},
  };
}

std::vector<Worked> permutations() {
  return {
      {"31",
       x4,
       {2},
       counting(4, 2),
       [](const Array& x) { return ppermute(x, "x", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); },
       {2},
       {{6, 7}, {0, 1}, {2, 3}, {4, 5}}},
      {"32",
       x4,
       {},
       scalars({1, 2, 3, 4}),
       [](const Array& x) { return ppermute(x, "x", {{0, 1}, {1, 2}}); },
       {},
       scalars({0, 1, 2, 0})},
      {"33",
       line(3),
       {},
       scalars({0, 10, 20}),
       [](const Array& x) { return ppermute(x, "x", {{1, 0}, {2, 1}, {0, 2}}); },
       {},
       scalars({10, 20, 0})},
      {"33_under_vmap",
       line(1),
       {3},
       {{0, 10, 20}},
       [](const Array& x) {
         auto body = [](const Array& lane) { return ppermute(lane, "lane", {{1, 0}, {2, 1}, {0, 2}}); };
         return vmap(body, {.axis = "lane"})(x);
       },
       {3},
       {{10, 20, 0}}},
      {"34_ij",
       i2j2,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return ppermute(x, {"i", "j"}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); },
       {},
       scalars({3, 0, 1, 2})},
      {"34_j",
       i2j2,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return ppermute(x, "j", {{0, 1}, {1, 0}}); },
       {},
       scalars({1, 0, 3, 2})},
      {"34_i",
       i2j2,
       {},
       scalars({1, 2, 3, 4}),
       [](const Array& x) { return ppermute(x, "i", {{0, 1}}); },
       {},
       scalars({0, 0, 1, 2})},
      {"35",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return pshuffle(x, "x", {3, 0, 1, 2}); },
       {},
       scalars({3, 0, 1, 2})},
      {"36_ij",
       i2j2,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return pbroadcast(x, {"i", "j"}, {.source = 2}); },
       {},
       {{2}}},
      {"36_j",
       i2j2,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return pbroadcast(x, "j", {.source = 1}); },
       {},
       scalars({1, 1, 3, 3})},
      {"85_xy",
       x2y2z2,
       {},
       scalars({0, 1, 2, 3, 4, 5, 6, 7}),
       [](const Array& x) { return ppermute(x, {"x", "y"}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); },
       {},
       scalars({6, 7, 0, 1, 2, 3, 4, 5})},
      {"85_yz",
       x2y2z2,
       {},
       scalars({0, 1, 2, 3, 4, 5, 6, 7}),
       [](const Array& x) { return ppermute(x, {"y", "z"}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); },
       {},
       scalars({3, 0, 1, 2, 7, 4, 5, 6})},
  };
}

const SlicesOfEach of_two_devices{.input_offsets = {{0, 1}, {0, 1}},
                                  .send_sizes = {{1, 2}, {1, 1}},
                                  .output_offsets = {{0, 0}, {1, 2}},
                                  .recv_sizes = {{1, 1}, {2, 1}}};
Array into_four(const Array& x, const SlicesOfEach& slices, const Groups& groups = {}) {
  return ragged_all_to_all(x, zeros({4}, DType::f32), own_slices(slices), "x", {.groups = groups});
}
SlicesOfEach twice(const SlicesOfEach& pair) {
  auto both = [](Blocks rows) {
    rows.insert(rows.end(), {rows[0], rows[1]});
    return rows;
  };
  return {both(pair.input_offsets), both(pair.send_sizes), both(pair.output_offsets), both(pair.recv_sizes)};
}
// The cotangents by the operand and by the output, one after the other, where the result's counts from 1.
Array cotangents_of_two(const Array& x) {
  auto f = [](const Array& operand, const Array& output) {
    return ragged_all_to_all(operand, output, own_slices(of_two_devices), "x");
  };
  auto [result, pull] = vjp(f, std::tuple{x, pcast(zeros({4}, DType::f32), "x", varying)});
  auto [by_operand, by_output] = pull(arange(4, DType::f32) + 1 + 4 * device_number("x"));
  return concatenate({by_operand, by_output});
}
std::vector<Worked> ragged_exchanges() {
  const Blocks blocks{{1, 2, 2}, {3, 4, 0}}, received{{1, 3, 0, 0}, {2, 2, 4, 0}};
  return {
      {"48", x2, {3}, blocks, [](const Array& x) { return into_four(x, of_two_devices); }, {4}, received},
      {"49",
       x4,
       {3},
       {{1, 2, 2}, {3, 4, 0}, {10, 20, 20}, {30, 40, 0}},
       [](const Array& x) { return into_four(x, twice(of_two_devices), pairs_in_order); },
       {4},
       {{1, 3, 0, 0}, {2, 2, 4, 0}, {10, 30, 0, 0}, {20, 20, 40, 0}}},
      {"50",
       x2,
       {4},
       {{1, 0, 0, 0}, {2, 3, 4, 0}},
       [](const Array& x) {
         return into_four(x, {{{0}, {0}}, {{1}, {3}}, {{2}, {1}}, {{1}, {3}}}, {{0}, {1}});
       },
       {4},
       {{0, 0, 1, 0}, {0, 2, 3, 4}}},
      {"51",
       x2,
       {4, 3},
       counting(2, 12),
       [](const Array& x) {
         SlicesOfEach rows{{{0, 2}, {0, 2}}, {{2, 2}, {2, 2}}, {{0, 0}, {2, 2}}, {{2, 2}, {2, 2}}};
         return ragged_all_to_all(x, zeros({4, 3}, DType::f32), own_slices(rows), "x");
       },
       {4, 3},
       {{0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17}, {6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23}}},
      {"52", x2, {3}, blocks, cotangents_of_two, {7}, {{1, 5, 6, 0, 0, 3, 4}, {2, 7, 0, 0, 0, 0, 8}}},
  };
}

// The lanes of a vmap in the place of the devices.
Worked under_vmap(const std::string& number, const Shape& shape, const Blocks& whole, const Body& body,
                  const Shape& result, const Blocks& expected) {
  auto mapped = [body](const Array& x) { return vmap(body, {.axis = "lane"})(x); };
  return {number + "_under_vmap", line(1), shape, whole, mapped, result, expected};
}

std::vector<Worked> lanes() {
  return {
      under_vmap("3", {4}, {{0, 1, 2, 3}},
                 [](const Array& x) { return psum(x, "lane", {.groups = pairs_in_order}); }, {4},
                 {{1, 1, 5, 5}}),
      under_vmap("12_mean", {4}, {{0, 1, 2, 3}},
                 [](const Array& x) { return pmean(x, "lane", {.groups = {{0}, {3, 1, 2}}}); }, {4},
                 {{0, 2, 2, 2}}),
      under_vmap("15", {4}, {{0, 1, 2, 3}},
                 [](const Array& x) { return pmax(x, "lane", {.groups = pairs_in_order}); }, {4},
                 {{1, 1, 3, 3}}),
      under_vmap("18", {4, 1}, {{3, 9, 5, 2}},
                 [](const Array& x) { return all_gather(x, "lane", {.tiled = true, .groups = crossed}); },
                 {4, 2}, {{3, 5, 2, 9, 3, 5, 2, 9}}),
      under_vmap("24", {4, 4}, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
                 [](const Array& x) { return psum_scatter(x, "lane", {.tiled = true, .groups = crossed}); },
                 {4, 2}, {{8, 10, 20, 22, 12, 14, 16, 18}}),
      under_vmap("32", {4}, {{1, 2, 3, 4}},
                 [](const Array& x) { return ppermute(x, "lane", {{0, 1}, {1, 2}}); }, {4}, {{0, 1, 2, 0}}),
      under_vmap("38", {4, 4}, {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 1, 2}},
                 [](const Array& x) { return all_to_all(x, "lane", {.tiled = true}); }, {4, 4},
                 {{3, 5, 5, 9, 1, 9, 3, 7, 4, 2, 5, 1, 1, 6, 8, 2}}),
      under_vmap("39", {4, 2}, {{0, 1, 2, 3, 4, 5, 6, 7}},
                 [](const Array& x) { return all_to_all(x, "lane", {.groups = odd_and_even}); }, {4, 2},
                 {{0, 4, 2, 6, 1, 5, 3, 7}}),
  };
}

class worked_examples : public testing::TestWithParam<Worked> {};
TEST_P(worked_examples, have_their_numbers) { expect_worked(GetParam()); }

std::vector<Worked> all_rows() {
  std::vector<Worked> all;
  for (auto rows : {reductions, gathers, scatters, permutations, ragged_exchanges, lanes})
    for (Worked& row : rows()) all.push_back(std::move(row));
  return all;
}
INSTANTIATE_TEST_SUITE_P(numbers, worked_examples, testing::ValuesIn(all_rows()),
                         [](const auto& row) { return "no_" + row.param.number; });

}  // namespace
}  // namespace tutti
