// SPDX-License-Identifier: Apache-2.0
// The worked examples that are programs: loops, lanes, borders. Not here yet: 48 to 52, which wait for
// ragged_all_to_all.
// 88 adds to a reference, which programs have not; its numbers are those of a sum.
#include "tests/ops/worked.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

const Pairs around{{0, 1}, {1, 2}, {2, 3}, {3, 0}};

// The gradient of each row of x times the parameters, by the parameters.
Array gradient_per_sample(const Array& parameters, const Array& x) {
  auto loss = [](const Array& p, const Array& row) { return reduce_sum(p * row); };
  return vmap(grad(loss), {.in = {none, 0}})(parameters, x);
}
Array one_and_two() { return 1 + arange(2, DType::f32); }

std::vector<Worked> constants_and_gradients() {
  return {
      {"11",
       x8,
       {},
       scalars({0, 1, 2, 3, 4, 5, 6, 7}),
       [](const Array&) {
         return psum(full({}, 2, DType::f32), "x", {.groups = {{0, 1, 2, 3}, {4, 5, 6, 7}}});
       },
       {},
       {{8}}},
      {"37",  // the loss varies: its sum over the devices
       x4,
       {},
       scalars({5, 6, 7, 8}),
       [](const Array& x) {
         return grad([](Array y) { return pcast(pbroadcast(y, "x"), "x", varying); })(x);
       },
       {},
       scalars({4, 0, 0, 0})},
      {"60",  // so is this one, over the lanes
       line(1),
       {5},
       {{1, 1, 1, 1, 1}},
       [](const Array& x) {
         auto loss = [](Array y) { return pcast(-psum(y, "i"), "i", varying); };
         return vmap(grad(loss), {.axis = "i"})(x);
       },
       {5},
       {{-5, -5, -5, -5, -5}}},
      {"62",  // parameters that are equal on all devices: summed over them
       x2,
       {2, 2},
       {{0, 1, 1, 1}, {1, 0, 0, 0}},
       [](const Array& x) { return gradient_per_sample(one_and_two(), x); },
       {2, 2},
       {{1, 1, 1, 1}}},
      {"62_of_own_parameters",
       x2,
       {2, 2},
       {{0, 1, 1, 1}, {1, 0, 0, 0}},
       [](const Array& x) { return gradient_per_sample(pcast(one_and_two(), "x", varying), x); },
       {2, 2},
       {{0, 1, 1, 1}, {1, 0, 0, 0}}},
      {"63",
       x2,
       {},
       {{2}},
       [](const Array& x) {
         auto twice = [](Array y) { return 2 * y; };
         auto thrice = [](Array y) { return 3 * y; };
         return grad([&](Array y) { return cond(equal(axis_index("x"), 0), twice, thrice, y); })(x);
       },
       {},
       {{5}},
       true},
      {"72",  // the gradient of a reduced value is pending: the first device has it
       x2,
       {8},
       counting(1, 8),
       [](const Array& x) {
         return grad([](Array y) { return reduce_sum(reshape(y, {4, 2})); })(pcast(x, "x", reduced));
       },
       {8},
       {std::vector<double>(8, 1), std::vector<double>(8, 0)},
       true},
  };
}

std::vector<Worked> loops() {
  return {
      {"80",
       x4,
       {},
       scalars({0, 1, 2, 3}),
       [](const Array& x) {
         auto step = [](Array c, std::tuple<>) { return std::pair{psum(c, "x"), std::tuple<>{}}; };
         return scan(step, x, {}, {.length = 2}).first;
       },
       {},
       {{24}}},
      {"81",
       x4,
       {10},
       {std::vector<double>(10, 1)},
       [](const Array& x) {
         auto step = [](Array c, Array i) { return std::pair{c + i + device_number("x"), std::tuple<>{}}; };
         return scan(step, zeros({}, DType::f32), x).first;
       },
       {},
       scalars({10, 20, 30, 40})},
      {"88", x2, {2}, {{0, 0}}, [](const Array& x) { return x + device_number("x"); }, {2}, {{0, 0}, {1, 1}}},
  };
}

class worked_programs : public testing::TestWithParam<Worked> {};
TEST_P(worked_programs, have_their_numbers) { expect_worked(GetParam()); }

std::vector<Worked> all_rows() {
  std::vector<Worked> all = constants_and_gradients();
  for (Worked& row : loops()) all.push_back(std::move(row));
  return all;
}
INSTANTIATE_TEST_SUITE_P(numbers, worked_programs, testing::ValuesIn(all_rows()),
                         [](const auto& row) { return "no_" + row.param.number; });

// --- Of whole arrays ---------------------------------------------------------------------------------------

TEST(worked_shard_maps, in_lanes_have_the_numbers_of_75) {
  auto sum = shard_map([](Array x) { return psum(x, "x"); }, {.mesh = x4, .in = P("x"), .out = P()});
  EXPECT_EQ(of_whole(x4, vmap(sum), {2, 400}, std::vector<float>(800, 1)),
            Tensor({2, 100}, std::vector<float>(200, 4)));
}

TEST(worked_shard_maps, over_one_axis_of_two_have_the_numbers_of_87) {
  auto sum = [](Array x) { return expand_dims(reduce_sum(x), 0); };
  ShardMapOptions options{.mesh = i4j2, .in = P("i"), .out = P("i"), .axes = {"i"}};
  EXPECT_EQ(of_whole(i4j2, shard_map(sum, options), {8}, numbers(8)),
            Tensor({4}, std::vector<float>{1, 5, 9, 13}));
}

// Rule 30: a cell is set next if its left neighbour is not what it or its right one is.
Array next_generation(const Array& cells) {
  Pairs right, left;
  for (int i = 0; i < 8; ++i) {
    right.emplace_back(i, (i + 1) % 8);
    left.emplace_back((i + 1) % 8, i);
  }
  Array from_left = ppermute(slice_in_dim(cells, 4, 5), "x", right);
  Array from_right = ppermute(slice_in_dim(cells, 0, 1), "x", left);
  Array halo = concatenate({from_left, cells, from_right});
  return slice_in_dim(halo, 0, 5) ^ (cells | slice_in_dim(halo, 2, 7));
}

TEST(worked_shard_maps, of_rule_30_have_the_cells_of_82) {
  auto body = [](Array x) {
    return convert(fori_loop(0, 9, [](Array, Array c) { return next_generation(c); }, x > 0), DType::f32);
  };
  std::vector<float> seed(40, 0);
  seed[20] = 1;
  Tensor cells = of_whole(x8, shard_map(body, {.mesh = x8, .in = P("x"), .out = P("x")}), {40}, seed);
  std::string drawn;
  for (std::int64_t i = 0; i < 40; ++i) drawn += cells.at(i) > 0 ? '*' : '.';
  EXPECT_EQ(drawn, "...........**.****.**..*...***..........");
}

// [8, 8] by [8, 3], both counting.
Tensor product_of_84() {
  std::vector<float> product;
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 3; ++column) {
      float& sum = product.emplace_back(0.0F);
      for (int k = 0; k < 8; ++k) sum += static_cast<float>((8 * row + k) * (3 * k + column));
    }
  return {{8, 3}, product};
}
Array right_factor_of_84() { return reshape(arange(24, DType::f32), {8, 3}); }

TEST(worked_shard_maps, that_gather_in_a_ring_have_the_product_of_84) {
  auto body = [](Array rows, Array block) {  // [2, 8], and 2 rows of the right factor
    Array sum = zeros({2, 3}, DType::f32);
    for (int i = 0; i < 4; ++i) {
      Array whose = (axis_index("x") + (4 - i)) % 4;
      sum = sum + matmul(dynamic_slice_in_dim(rows, 2 * whose, 2, 1), block);
      if (i < 3) block = ppermute(block, "x", around);
    }
    return sum;
  };
  auto product = [&](Array x) {
    return shard_map(body, {.mesh = x4, .in = P("x"), .out = P("x")})(x, right_factor_of_84());
  };
  EXPECT_EQ(of_whole(x4, product, {8, 8}, numbers(64)), product_of_84());
}

TEST(worked_shard_maps, that_scatter_in_a_ring_have_the_product_of_84) {
  auto body = [](Array columns, Array block) {  // [8, 2], and 2 rows of the right factor
    auto trip = [&](Array i, Array sum) {
      Array whose = (axis_index("x") + 3 - i) % 4;
      return ppermute(sum, "x", around) + matmul(dynamic_slice_in_dim(columns, 2 * whose, 2), block);
    };
    return fori_loop(0, 4, trip, zeros({2, 3}, DType::f32));
  };
  auto product = [&](Array x) {
    Specs in{P(none, "x"), P("x")};
    return shard_map(body, {.mesh = x4, .in = in, .out = P("x")})(x, right_factor_of_84());
  };
  EXPECT_EQ(of_whole(x4, product, {8, 8}, numbers(64)), product_of_84());
}

}  // namespace
}  // namespace tutti
