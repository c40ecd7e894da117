// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/worked.hpp"

namespace tutti {
namespace {

std::vector<Worked> exchanges() {
  return {
      {"38",
       x4,
       {4},
       pi,
       [](const Array& x) { return all_to_all(x, "x", {.tiled = true}); },
       {4},
       {{3, 5, 5, 9}, {1, 9, 3, 7}, {4, 2, 5, 1}, {1, 6, 8, 2}}},
      {"39",
       x4,
       {2},
       counting(4, 2),
       [](const Array& x) { return all_to_all(x, "x", {.groups = odd_and_even}); },
       {2},
       {{0, 4}, {2, 6}, {1, 5}, {3, 7}}},
      {"40",
       x4,
       {1, 4},
       counting(4, 4),
       [](const Array& x) {
         return all_to_all(x, "x", {.split = 1, .tiled = true, .groups = pairs_in_order});
       },
       {2, 2},
       {{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}}},
      {"41",
       x8,
       {1, 8},
       counting(8, 8),
       [](const Array& x) { return all_to_all(x, "x", {.split = 1, .concat = 1, .tiled = true}); },
       {1, 8},
       columns_of_8_by_8()},
      {"42",
       x2,
       {2, 3},
       counting(2, 6),
       [](const Array& x) { return all_to_all(x, "x", {.concat = 1}); },
       {3, 2},
       {{0, 6, 1, 7, 2, 8}, {3, 9, 4, 10, 5, 11}}},
      {"43",
       x2,
       {3, 2},
       {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}},
       [](const Array& cotangent) {
         auto f = [](const Array& x) { return all_to_all(x, "x", {.concat = 1}); };
         Array x = pcast(zeros({2, 3}, DType::f32), "x", varying);
         return std::get<0>(vjp(f, std::tuple{x}).second(cotangent));
       },
       {2, 3},
       {{1, 3, 5, 7, 9, 11}, {2, 4, 6, 8, 10, 12}}},
      {"44",
       x2,
       {3, 2},
       counting(2, 6),
       [](const Array& x) { return all_to_all(x, "x", {.split = 1}); },
       {2, 3},
       {{0, 2, 4, 6, 8, 10}, {1, 3, 5, 7, 9, 11}}},
      {"45_ij",
       i2j2,
       {4},
       tens,
       [](const Array& x) { return all_to_all(x, {"i", "j"}, {.tiled = true}); },
       {4},
       {{0, 10, 20, 30}, {1, 11, 21, 31}, {2, 12, 22, 32}, {3, 13, 23, 33}}},
      {"45_ji",
       i2j2,
       {4},
       tens,
       [](const Array& x) { return all_to_all(x, {"j", "i"}, {.tiled = true}); },
       {4},
       {{0, 20, 10, 30}, {2, 22, 12, 32}, {1, 21, 11, 31}, {3, 23, 13, 33}}},
      {"46",
       i2j2,
       {4},
       tens,
       [](const Array& x) { return all_to_all(x, "j", {.tiled = true}); },
       {4},
       {{0, 1, 10, 11}, {2, 3, 12, 13}, {20, 21, 30, 31}, {22, 23, 32, 33}}},
      {"47_i",
       i4j2,
       {},
       {{0}},
       [](const Array&) { return axis_index("i"); },
       {},
       scalars({0, 0, 1, 1, 2, 2, 3, 3})},
      {"47_j",
       i4j2,
       {},
       {{0}},
       [](const Array&) { return axis_index("j"); },
       {},
       scalars({0, 1, 0, 1, 0, 1, 0, 1})},
      {"47_ij",
       i4j2,
       {},
       {{0}},
       [](const Array&) { return axis_index({"i", "j"}); },
       {},
       scalars({0, 1, 2, 3, 4, 5, 6, 7})},
      {"47_ji",
       i4j2,
       {},
       {{0}},
       [](const Array&) { return axis_index({"j", "i"}); },
       {},
       scalars({0, 4, 1, 5, 2, 6, 3, 7})},
  };
}

// Gradients inside the body; of a loss that varies, of its sum over the devices.
std::vector<Worked> gradients() {
  auto weighted = [](const Array& x) { return reduce_sum(x) * device_number("x"); };
  return {
      {"53",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) { return grad([](const Array& y) { return psum(y, "x"); })(x); },
       {},
       {{1}}},
      {"54",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) {
         return grad([](const Array& y) { return psum(y, "x") * device_number("x"); })(x);
       },
       {},
       {{6}}},
      {"55", x4, {1}, {{5}}, [=](const Array& x) { return grad(weighted)(x); }, {1}, {{6}}, true},
      {"57",
       x8,
       {},
       {{3}},
       [](const Array& w) {
         return grad([](const Array& v) { return psum(square(v * device_number("x")), "x"); })(w);
       },
       {},
       {{840}},
       true},
      {"58",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) {
         auto loss = [](const Array& y) {
           return ppermute(y, "x", {{0, 1}, {1, 2}, {2, 3}}) * (device_number("x") + 3);
         };
         return grad(loss)(x);
       },
       {},
       scalars({4, 5, 6, 0})},
      {"59",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) {
         auto loss = [](const Array& y) {
           return ppermute(y, "x", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}) * (device_number("x") + 3);
         };
         return grad(loss)(x);
       },
       {},
       scalars({4, 5, 6, 3})},
      {"61",
       x2,
       {},
       {{1}},
       [](const Array& w) {
         return grad([](const Array& v) { return psum((v * v + 1) * device_number("x"), "x"); })(w);
       },
       {},
       {{2}},
       true},
      {"64",
       x4,
       {2},
       counting(4, 2),
       [](const Array& x) {
         return grad([](const Array& y) { return reduce_sum(all_gather(y, "x", {.to = invariant})); })(x);
       },
       {2},
       {{1, 1}}},
      {"89",
       x4,
       {2, 1},
       counting(4, 2),
       [=](const Array& x) {
         auto exchanged = [=](const Array& y) {
           return weighted(all_to_all(y, "x", {.concat = 1, .groups = pairs_in_order}));
         };
         return grad(exchanged)(x);
       },
       {2, 1},
       {{0, 1}, {0, 1}, {2, 3}, {2, 3}}},
      {"90",
       x4,
       {2, 4},
       counting(4, 8),
       [=](const Array& x) {
         return grad([=](const Array& y) { return weighted(pswapaxes(y, "x", 1)); })(x);
       },
       {2, 4},
       {{0, 1, 2, 3, 0, 1, 2, 3}}},
  };
}

std::vector<Worked> with_products_and_lanes() {
  auto scatter_of_products = [](const Array& x) {
    Array cast = pcast(x, "x", unreduced);
    return psum(cast, "x");
  };
  return {
      {"65",
       x2y2,
       {1, 2},
       {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
       [](const Array& a) {
         // Rows 2y, 2y + 1 of a 4x2 matrix that counts, over y.
         Array b = iota({2, 2}, DType::f32, 0) * 2 + iota({2, 2}, DType::f32, 1) + device_number("y") * 4;
         return psum(pcast(matmul(a, b), "y", unreduced), "y");
       },
       {1, 2},
       {{28, 34}, {28, 34}, {76, 98}, {76, 98}}},
      {"69", x2, {4}, counting(2, 4), scatter_of_products, {4}, {{4, 6, 8, 10}}},
      {"71_mul",
       x2,
       {8},
       counting(2, 8),
       [](const Array& x) { return psum(x * pcast(arange(8, DType::f32), "x", reduced), "x"); },
       {8},
       {{0, 10, 24, 42, 64, 90, 120, 154}}},
      {"71_dy",
       x2,
       {8},
       counting(2, 8),
       [](const Array& x) {
         auto product = [&](const Array& y) { return reduce_sum(psum(x * pcast(y, "x", reduced), "x")); };
         return grad(product)(arange(8, DType::f32));
       },
       {8},
       {{8, 10, 12, 14, 16, 18, 20, 22}}},
      {"74",
       x2y2,
       {1, 4},
       counting(4, 4),
       [](const Array& x) { return vmap([](const Array& row) { return psum(row, "y"); })(x); },
       {1, 4},
       {{4, 6, 8, 10}, {4, 6, 8, 10}, {20, 22, 24, 26}, {20, 22, 24, 26}}},
      {"76",
       line(1),
       {3, 5},
       counting(1, 15),
       [](const Array& x) {
         auto body = [](const Array& lane) { return all_gather(lane, "lane", {.to = invariant}); };
         return vmap(body, {.axis = "lane", .in = {1}, .out = none})(x);
       },
       {5, 3},
       {{0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14}}},
      {"79",
       line(1),
       {4},
       {{0, 0, 0, 0}},
       [](const Array& x) {
         auto body = [](const Array& lane) { return psum(2 + 0 * lane, "lane"); };
         return vmap(body, {.axis = "lane", .out = none})(x);
       },
       {},
       {{8}}},
  };
}

// rows x columns that count on from `first`, `stride` apart from row to row.
Array counted(int rows, int columns, int stride, const Array& first) {
  return iota({rows, columns}, DType::f32, 0) * stride + iota({rows, columns}, DType::f32, 1) + first;
}

// 2x4 by 4x6, both counting, over x along the dim that is summed: the sum of all elements of the product.
Array loss_of_67(const Array& a, const Array& b) {
  return reduce_sum(psum(pcast(matmul(a, b), "x", unreduced), "x"));
}
// 4x2 over x by rows, by 2x6 over x by columns, gathered.
Array loss_of_68(const Array& a, const Array& b) {
  return reduce_sum(matmul(a, all_gather(b, "x", {.dim = 1, .tiled = true, .to = reduced})));
}
Array rows_of_67() { return counted(2, 6, 6, device_number("x") * 12); }
Array columns_of_67() { return counted(2, 2, 4, device_number("x") * 2); }
Array rows_of_68() { return counted(2, 2, 2, device_number("x") * 4); }
Array columns_of_68() { return counted(2, 3, 6, device_number("x") * 3); }
// 2x4 by 4x2 over y along the dim that is summed, the rows of the first over x.
Array rows_of_66() { return counted(2, 2, 2, device_number("y") * 4); }
Array loss_of_66(const Array& a, const Array& b) {
  return reduce_sum(psum(pcast(matmul(a, b), "y", unreduced), "y"));
}

std::vector<Worked> gradients_of_products() {
  return {
      {"66_da",
       x2y2,
       {1, 2},
       {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
       [](const Array& a) { return grad([](const Array& x) { return loss_of_66(x, rows_of_66()); })(a); },
       {1, 2},
       {{1, 5}, {9, 13}, {1, 5}, {9, 13}}},
      {"66_db",
       x2y2,
       {1, 2},
       {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
       [](const Array& a) { return grad([&](const Array& b) { return loss_of_66(a, b); })(rows_of_66()); },
       {2, 2},
       {{4, 4, 6, 6}, {8, 8, 10, 10}, {4, 4, 6, 6}, {8, 8, 10, 10}}},
      {"67",
       x2,
       {2, 2},
       {{0, 1, 4, 5}, {2, 3, 6, 7}},
       [](const Array& a) { return loss_of_67(a, rows_of_67()); },
       {},
       {{2292}}},
      {"67_da",
       x2,
       {2, 2},
       {{0, 1, 4, 5}, {2, 3, 6, 7}},
       [](const Array& a) { return grad([](const Array& x) { return loss_of_67(x, rows_of_67()); })(a); },
       {2, 2},
       {{15, 51, 15, 51}, {87, 123, 87, 123}}},
      {"67_db",
       x2,
       {2, 6},
       counting(2, 12),
       [](const Array& b) { return grad([](const Array& x) { return loss_of_67(columns_of_67(), x); })(b); },
       {2, 6},
       {{4, 4, 4, 4, 4, 4, 6, 6, 6, 6, 6, 6}, {8, 8, 8, 8, 8, 8, 10, 10, 10, 10, 10, 10}}},
      {"68",
       x2,
       {2, 2},
       counting(2, 4),
       [](const Array& a) { return psum(loss_of_68(a, columns_of_68()), "x"); },
       {},
       {{996}}},
      {"68_da",
       x2,
       {2, 2},
       counting(2, 4),
       [](const Array& a) { return grad([](const Array& x) { return loss_of_68(x, columns_of_68()); })(a); },
       {2, 2},
       {{15, 51, 15, 51}}},
      {"68_db",
       x2,
       {2, 3},
       {{0, 1, 2, 6, 7, 8}, {3, 4, 5, 9, 10, 11}},
       [](const Array& b) { return grad([](const Array& x) { return loss_of_68(rows_of_68(), x); })(b); },
       {2, 3},
       {{12, 12, 12, 16, 16, 16}}},
      {"70",
       x2,
       {8},
       counting(1, 8),
       [](const Array& x) {
         return grad([](const Array& y) { return reduce_sum(pcast(pcast(y, "x", reduced), "x", varying)); })(
             x);
       },
       {8},
       {{2, 2, 2, 2, 2, 2, 2, 2}},
       true},
      {"56",
       x4,
       {2, 8},
       counting(4, 16),
       [](const Array& x) {
         return psum(2 * reduce_sum(all_to_all(x, "x", {.split = 1, .tiled = true})), "x");
       },
       {},
       {{4032}}},
      {"56_gradient",
       x4,
       {2, 8},
       counting(4, 16),
       [](const Array& x) {
         auto loss = [](const Array& y) {
           return 2 * reduce_sum(all_to_all(y, "x", {.split = 1, .tiled = true}));
         };
         return grad(loss)(x);
       },
       {2, 8},
       {std::vector<double>(16, 2)}},
  };
}

// The product of 8x16 by 16x4 matrices that count: two rows of the product for each position along x.
Blocks rows_of_83() {
  Blocks blocks;
  for (int device = 0; device < 8; ++device) {
    std::vector<double>& block = blocks.emplace_back();
    for (int row = device / 2 * 2; row < device / 2 * 2 + 2; ++row)
      for (int column = 0; column < 4; ++column) {
        double& sum = block.emplace_back(0);
        for (int k = 0; k < 16; ++k) sum += (16 * row + k) * (4 * k + column);
      }
  }
  return blocks;
}

// Row p and row p + 4 of the square of the 8x8 matrix that counts, for position p along (z, y).
Blocks rows_of_86() {
  Blocks blocks;
  for (int device = 0; device < 8; ++device) {
    int p = device % 2 * 2 + device / 2 % 2;
    std::vector<double>& block = blocks.emplace_back();
    for (int column = 0; column < 8; ++column) {
      double& sum = block.emplace_back(0);
      for (int k = 0; k < 8; ++k) sum += (8 * p + k + 8 * (p + 4) + k) * (8 * k + column);
    }
  }
  return blocks;
}

std::vector<double> lanes_gathered_of_77() {
  std::vector<double> values;
  for (int lane = 0; lane < 3; ++lane)
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 5; ++column) values.push_back(row * 15 + lane * 5 + column);
  return values;
}

std::vector<Worked> larger_products_and_lanes() {
  return {
      {"77",
       line(1),
       {4, 3, 5},
       counting(1, 60),
       [](const Array& x) {
         auto body = [](const Array& lane) {
           return all_gather(lane, "lane", {.tiled = true, .to = invariant});
         };
         return vmap(body, {.axis = "lane", .in = {1}, .out = none})(x);
       },
       {12, 5},
       {lanes_gathered_of_77()}},
      {"78",
       line(1),
       {3, 3, 4},
       counting(1, 36),
       [](const Array& cotangents) {
         auto body = [](const Array& x, const Array& cotangent) {
           auto gathered = [](const Array& y) { return all_gather(y, "lane"); };
           return std::get<0>(vjp(gathered, std::tuple{x}).second(cotangent));
         };
         return vmap(body, {.axis = "lane"})(zeros({3, 4}, DType::f32), cotangents);
       },
       {3, 4},
       {{36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69}},
       true},
      {"83",
       Mesh({{"x", 4}, {"y", 2}}),
       {},
       {{0}},
       [](const Array&) {
         Array a = counted(2, 8, 16, device_number("x") * 32 + device_number("y") * 8);
         return psum(matmul(a, counted(8, 4, 4, device_number("y") * 32)), "y");
       },
       {2, 4},
       rows_of_83()},
      {"86",
       x2y2z2,
       {},
       {{0}},
       [](const Array&) {
         Array a = counted(4, 4, 8, device_number("z") * 32 + device_number("y") * 4);
         Array b = counted(4, 8, 8, device_number("y") * 32);
         return psum_scatter(matmul(a, b), {"z", "y"}, {.tiled = true});
       },
       {1, 8},
       rows_of_86()},
  };
}

TEST(worked_numbers, made_by_loops_are_those_of_the_list) {
  EXPECT_EQ(rows_of_83()[0][3], 5320);
  EXPECT_EQ(rows_of_83()[7][4], 58720);
  EXPECT_EQ(rows_of_86()[0][2], 10032);
}

class worked_exchanges_and_gradients : public testing::TestWithParam<Worked> {};
TEST_P(worked_exchanges_and_gradients, have_their_numbers) { expect_worked(GetParam()); }

std::vector<Worked> all_rows() {
  std::vector<Worked> all;
  for (auto rows :
       {exchanges, gradients, with_products_and_lanes, gradients_of_products, larger_products_and_lanes})
    for (Worked& row : rows()) all.push_back(std::move(row));
  return all;
}
INSTANTIATE_TEST_SUITE_P(numbers, worked_exchanges_and_gradients, testing::ValuesIn(all_rows()),
                         [](const auto& row) { return "no_" + row.param.number; });

}  // namespace
}  // namespace tutti
