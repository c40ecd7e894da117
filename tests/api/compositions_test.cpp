// SPDX-License-Identifier: Apache-2.0
// shard_map inside and around vmap, inside itself, with specs that leave axes out, and among operations on
// the whole arrays: numbers worked out with plain loops.
#include <gtest/gtest.h>

#include "tests/api/numbers.hpp"
#include "tests/support/refusal.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const Mesh& mesh() {
  static const Mesh cube({{"a", 2}, {"b", 2}, {"c", 2}});
  return cube;
}

// --- shard_map in vmap -------------------------------------------------------------------------------------

// x times the sum of its squares over all devices.
Array scaled(const Array& x) {
  auto body = [](Array part) { return part * psum(reduce_sum(part * part), "a"); };
  return shard_map(body, {.mesh = mesh(), .in = P("a"), .out = P("a")})(x);
}

Table scaled_columns(const Table& x) {
  return table(x.rows, x.columns, [&](std::int64_t row, std::int64_t column) {
    double sum = 0;
    for (std::int64_t i = 0; i < x.rows; ++i) sum += x.at(i, column) * x.at(i, column);
    return x.at(row, column) * sum;
  });
}

TEST(shard_map_in_vmap, maps_the_last_dim_in_and_out) {
  Table x = some_table(4, 3);
  for (int dim : {1, -1})
    EXPECT_EQ(computed_one(vmap(scaled, {.in = {dim}, .out = dim}), x.array()), scaled_columns(x).values)
        << dim;
}

TEST(shard_map_in_vmap, puts_the_lanes_first_unless_told) {
  Table x = some_table(4, 3), y = scaled_columns(x);
  Table turned = table(3, 4, [&](std::int64_t row, std::int64_t column) { return y.at(column, row); });
  EXPECT_EQ(computed_one(vmap(scaled, {.in = {1}}), x.array()), turned.values);
}

TEST(shard_map_in_vmap, takes_arguments_that_are_the_same_in_every_lane) {
  Table x = some_table(4, 1, 2), w = some_table(3, 4);
  auto weighted = [](Array v, Array weights) {
    auto body = [](Array part, Array weight) { return psum(reduce_sum(part * weight), {"a", "b"}); };
    P rows(SpecEntry{"a", "b"});
    return shard_map(body, {.mesh = mesh(), .in = rows, .out = P()})(v, weights);
  };
  Doubles expected;
  for (std::int64_t lane = 0; lane < 3; ++lane) {
    double sum = 0;
    for (std::int64_t i = 0; i < 4; ++i) sum += x.at(i, 0) * w.at(lane, i);
    expected.push_back(sum);
  }
  Array whole = Tensor(Shape{4}, x.values);
  EXPECT_EQ(computed_one(vmap(weighted, {.in = {none, 0}}), whole, w.array()), expected);
}

TEST(shard_map_in_vmap, of_nothing_mapped_repeats_its_result) {
  Table x = some_table(4, 1);
  Doubles once = scaled_columns(x).values, expected;
  for (int lane = 0; lane < 3; ++lane) expected.insert(expected.end(), once.begin(), once.end());
  Array whole = Tensor(Shape{4}, x.values);
  EXPECT_EQ(computed_one(vmap(scaled, {.in = {none}, .size = 3}), whole), expected);
}

TEST(shard_map_in_vmap, has_the_gradient_of_each_lane) {
  Table x = some_table(4, 3);
  auto loss = [](Array v) { return reduce_sum(scaled(v)); };  // sum(x) * sum(x^2)
  Table expected = table(4, 3, [&](std::int64_t row, std::int64_t column) {
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < 4; ++i) sum += x.at(i, column);
    for (std::int64_t i = 0; i < 4; ++i) squares += x.at(i, column) * x.at(i, column);
    return squares + 2 * sum * x.at(row, column);
  });
  EXPECT_EQ(computed_one(vmap(grad(loss), {.in = {1}, .out = 1}), x.array()), expected.values);
}

TEST(shard_map_in_vmap, may_use_the_axis_of_the_vmap) {
  Table x = some_table(3, 4);
  auto one = [](Array v) {
    auto body = [](Array part) { return psum(part, "lane") + psum(reduce_sum(part), {"a", "lane"}); };
    return shard_map(body, {.mesh = mesh(), .in = P("a"), .out = P("a")})(v);
  };
  Doubles expected(4);
  double all = 0;
  for (double value : x.values) all += value;
  for (std::int64_t column = 0; column < 4; ++column)
    expected[static_cast<std::size_t>(column)] = x.at(0, column) + x.at(1, column) + x.at(2, column) + all;
  Doubles found = computed_one(vmap(one, {.axis = "lane"}), x.array());
  ASSERT_EQ(found.size(), 12U);  // equal in all lanes
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(found[i], expected[i % 4]) << i;
}

// --- vmap in shard_map -------------------------------------------------------------------------------------

// Rows are lanes on each of the devices of "a", which has some of them.
template <class F>
auto over_rows(F of_row, const P& out = P("a")) {
  auto body = [of_row](Array rows) { return vmap(of_row, {.axis = "row"})(rows); };
  return shard_map(body, {.mesh = mesh(), .in = P("a"), .out = out});
}

double column_sum(const Table& x, std::int64_t column, std::int64_t from, std::int64_t to) {
  double sum = 0;
  for (std::int64_t row = from; row < to; ++row) sum += x.at(row, column);
  return sum;
}

TEST(vmap_in_shard_map, sums_over_its_lanes_over_devices_and_over_both) {
  Table x = some_table(6, 2);
  auto sums = [](Array row) { return stack({psum(row, "row"), psum(row, "a"), psum(row, {"row", "a"})}); };
  Doubles expected;
  for (std::int64_t row = 0; row < 6; ++row) {
    std::int64_t first = row / 3 * 3, lane = row % 3;  // of this device
    for (std::int64_t c = 0; c < 2; ++c) expected.push_back(column_sum(x, c, first, first + 3));
    for (std::int64_t c = 0; c < 2; ++c) expected.push_back(x.at(lane, c) + x.at(lane + 3, c));
    for (std::int64_t c = 0; c < 2; ++c) expected.push_back(column_sum(x, c, 0, 6));
  }
  EXPECT_EQ(computed_one(over_rows(sums), x.array()), expected);
}

TEST(vmap_in_shard_map, counts_and_gathers_in_the_order_of_the_tuple) {
  Table x = some_table(6, 1);
  auto gathered = [](Array row) {
    Array all = all_gather(row, {"row", "a"}, {.tiled = true});  // row 0 of both devices first
    return all + 100 * convert(axis_index({"row", "a"}), DType::f64);
  };
  Doubles expected;
  for (std::int64_t row = 0; row < 6; ++row)
    for (std::int64_t lane = 0; lane < 3; ++lane)
      for (std::int64_t device = 0; device < 2; ++device)
        expected.push_back(x.at(3 * device + lane, 0) + static_cast<double>(100 * (row % 3 * 2 + row / 3)));
  EXPECT_EQ(computed_one(over_rows(gathered), x.array()), expected);
}

TEST(vmap_in_shard_map, has_the_gradient_through_collectives_over_both) {
  Table x = some_table(6, 2), w = some_table(6, 2, 2);
  auto loss = [](Array rows, Array weights) {
    auto of_row = [](Array row, Array weight) { return psum(row * weight, {"a", "row"}); };
    auto body = [&](Array mine, Array weight) {
      return vmap([&](Array row, Array v) { return reduce_sum(square(of_row(row, v))); },
                  {.axis = "row"})(mine, weight);
    };
    Array per_row = shard_map(body, {.mesh = mesh(), .in = P("a"), .out = P("a")})(rows, weights);
    return reduce_sum(per_row);  // each of the 6 lanes has the same
  };
  Table expected = table(6, 2, [&](std::int64_t row, std::int64_t column) {
    double sum = 0;
    for (std::int64_t i = 0; i < 6; ++i) sum += x.at(i, column) * w.at(i, column);
    return 6 * 2 * sum * w.at(row, column);
  });
  EXPECT_EQ(computed_one(grad(loss), x.array(), w.array()), expected.values);
}

// --- shard_map in shard_map --------------------------------------------------------------------------------

// Rows over a, then columns of each part over b: y = x * (sum of its row) + (sum of its column on this device
// of a).
Array nested(const Array& x) {
  auto inner = [](Array part) {
    Array of_row = psum(reduce_sum(part, 1), "b"), of_column = reduce_sum(part, 0);
    return part * expand_dims(of_row, 1) + of_column;
  };
  auto outer = [&](Array rows) {
    ShardMapOptions options{.mesh = mesh(), .in = P(none, "b"), .out = P(none, "b"), .axes = {"b"}};
    return shard_map(inner, options)(rows);
  };
  return shard_map(outer, {.mesh = mesh(), .in = P("a"), .out = P("a"), .axes = {"a"}})(x);
}

Table nested_by_hand(const Table& x) {
  return table(4, 4, [&](std::int64_t row, std::int64_t column) {
    double of_row = 0;
    for (std::int64_t c = 0; c < 4; ++c) of_row += x.at(row, c);
    std::int64_t first = row / 2 * 2;
    return x.at(row, column) * of_row + x.at(first, column) + x.at(first + 1, column);
  });
}

TEST(nested_shard_map, splits_what_the_outer_one_has_split) {
  Table x = some_table(4, 4);
  EXPECT_EQ(computed_one(nested, x.array()), nested_by_hand(x).values);
}

// loss = sum(y): of a row with sum r that is r^2, and every element counts in two rows of its column.
TEST(nested_shard_map, has_a_gradient_by_hand) {
  Table x = some_table(4, 4);
  Table expected = table(4, 4, [&](std::int64_t row, std::int64_t) {
    double of_row = 0;
    for (std::int64_t c = 0; c < 4; ++c) of_row += x.at(row, c);
    return 2 * of_row + 2;
  });
  EXPECT_EQ(computed_one(grad([](Array v) { return reduce_sum(nested(v)); }), x.array()), expected.values);
}

TEST(nested_shard_map, is_batched) {
  Table x = some_table(4, 4), y = some_table(4, 4, 3);
  Doubles both = x.values, expected = nested_by_hand(x).values, second = nested_by_hand(y).values;
  both.insert(both.end(), y.values.begin(), y.values.end());
  expected.insert(expected.end(), second.begin(), second.end());
  Array stacked = Tensor(Shape{2, 4, 4}, both);
  EXPECT_EQ(computed_one(vmap(nested), stacked), expected);
}

TEST(nested_shard_map, goes_three_deep_with_a_vmap_between) {
  Table x = some_table(4, 8);
  auto innermost = [](Array part) { return psum(part, {"a", "b", "c", "row"}); };
  auto middle = [&](Array row) {
    ShardMapOptions options{.mesh = mesh(), .in = P("c"), .out = P(), .axes = {"c"}};
    auto split = [&](Array columns) {
      ShardMapOptions inner{.mesh = mesh(), .in = P("b"), .out = P(), .axes = {"b"}};
      return shard_map(innermost, inner)(columns);
    };
    return shard_map(split, options)(row);
  };
  auto outer = [&](Array rows) { return vmap(middle, {.axis = "row"})(rows); };
  ShardMapOptions options{.mesh = mesh(), .in = P("a"), .out = P("a"), .axes = {"a"}};
  Doubles sums(2);  // columns 0, 2, 4, 6 meet, and 1, 3, 5, 7
  for (std::int64_t row = 0; row < 4; ++row)
    for (std::int64_t column = 0; column < 8; ++column)
      sums[static_cast<std::size_t>(column % 2)] += x.at(row, column);
  Doubles found = computed_one(shard_map(outer, options), x.array());
  ASSERT_EQ(found.size(), 8U);  // 4 rows, all equal
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(found[i], sums[i % 2]) << i;
}

// --- Specs that leave axes out -----------------------------------------------------------------------------

TEST(partial_specs, split_a_dim_over_two_axes_slowest_first) {
  Table x = some_table(8, 1);
  auto marked = [](Array part) { return part + 100 * convert(axis_index({"c", "a"}), DType::f64); };
  P rows(SpecEntry{"c", "a"});
  Doubles expected = x.values;
  for (std::size_t row = 0; row < 8; ++row) expected[row] += 100.0 * static_cast<double>(row / 2);
  EXPECT_EQ(computed_one(shard_map(marked, {.mesh = mesh(), .in = rows, .out = rows}), x.array()), expected);
}

TEST(partial_specs, take_a_dim_apart_one_way_and_put_it_together_another) {
  Table x = some_table(4, 1);
  auto same = [](Array part) { return part; };
  ShardMapOptions options{.mesh = mesh(), .in = P(SpecEntry{"a", "b"}), .out = P(SpecEntry{"b", "a"})};
  Doubles expected{x.values[0], x.values[2], x.values[1], x.values[3]};
  EXPECT_EQ(computed_one(shard_map(same, options), x.array()), expected);
}

// Along axes that no spec names all devices do the same: a sum over them counts it.
TEST(partial_specs, leave_axes_along_which_all_devices_do_the_same) {
  Table x = some_table(4, 2);
  auto sums = [](Array part) { return psum(part, "b") + psum(part, {"b", "c"}); };
  Doubles expected = x.values;
  for (double& value : expected) value *= 2 + 4;
  EXPECT_EQ(computed_one(shard_map(sums, {.mesh = mesh(), .in = P("a"), .out = P("a")}), x.array()),
            expected);
}

TEST(partial_specs, hand_terms_from_one_shard_map_to_the_next) {
  Table x = some_table(4, 3);
  auto terms = [](Array part) { return pcast(reduce_sum(part, 0), "a", unreduced); };
  auto summed = [](Array sum) { return psum(2 * sum, "a"); };
  P as_terms = P().unreduced({"a"});
  auto both = [&](Array v) {
    Array partial = shard_map(terms, {.mesh = mesh(), .in = P("a"), .out = as_terms})(v);
    return std::pair{partial, shard_map(summed, {.mesh = mesh(), .in = as_terms, .out = P()})(partial)};
  };
  Doubles sums, twice;
  for (std::int64_t c = 0; c < 3; ++c) {
    sums.push_back(column_sum(x, c, 0, 4));
    twice.push_back(2 * sums.back());
  }
  EXPECT_EQ(computed(both, x.array()), (std::vector<Doubles>{sums, twice}));
}

// The gradient of a reduced argument is a term on each device.
TEST(partial_specs, take_reduced_arguments_and_sum_their_gradients) {
  Table x = some_table(4, 3), w = some_table(1, 3, 2);
  auto loss = [](Array weights, Array rows) {
    auto body = [](Array v, Array mine) { return psum(reduce_sum(mine * mine * v), "a"); };
    ShardMapOptions options{.mesh = mesh(), .in = {P().reduced({"a"}), P("a")}, .out = P()};
    return shard_map(body, options)(weights, rows);
  };
  Doubles expected(3);
  for (std::int64_t row = 0; row < 4; ++row)
    for (std::int64_t c = 0; c < 3; ++c) expected[static_cast<std::size_t>(c)] += x.at(row, c) * x.at(row, c);
  EXPECT_EQ(computed_one(grad(loss), w.array(), x.array()), expected);
}

TEST(partial_specs, are_refused_where_a_dim_does_not_split) {
  auto same = [](Array x) { return x; };
  auto rows_over_b = [&](Array rows) {
    ShardMapOptions options{.mesh = mesh(), .in = P("b"), .out = P("b"), .axes = {"b"}};
    return shard_map(same, options)(rows);  // refused
  };
  Array six = Tensor({6}, DType::f64);
  auto outer = [&](Array x) {
    return shard_map(rows_over_b, {.mesh = mesh(), .in = P("a"), .out = P("a"), .axes = {"a"}})(x);
  };
  expect_refused(
      [&] { open_local(mesh()).compile(outer, six); },
      "T005 {file}:{line}: shard_map: argument 0: dim 0 of f64[3]{V:a} does not split over the 2 devices of "
      "'b'; pad it or use another dim");
  auto lanes = vmap([&](Array x) {
    return shard_map(same, {.mesh = mesh(), .in = P(SpecEntry{"a", "b"}), .out = P()})(x);  // refused
  });
  expect_refused([&] { open_local(mesh()).compile(lanes, abstract({4, 6}, DType::f64)); },
                 "T005 {file}:{line}: shard_map: argument 0: dim 0 of f64[6]{V:vmap} does not split over the "
                 "4 devices of "
                 "('a', 'b'); pad it or use another dim");
}

// --- Outside -----------------------------------------------------------------------------------------------

// [4, 4], in four blocks over a and b: each twice what it was.
Array in_blocks(const Array& x) {
  return shard_map([](Array part) { return 2 * part; },
                   {.mesh = mesh(), .in = P("a", "b"), .out = P("a", "b")})(x);
}

TEST(outside_of_shard_map, sharded_results_are_whole_arrays) {
  Table x = some_table(4, 4);
  auto several = [](Array v) {
    Array y = in_blocks(v);
    return std::tuple{y + v,
                      matmul(y, transpose(v)),
                      reduce_sum(y, 0),
                      reduce_max(y),
                      slice_in_dim(y, 1, 3, 1, 1),
                      concatenate({y, v}),
                      reshape(y, {2, 8}),
                      cumsum(y, 1)};
  };
  auto y = [&](std::int64_t row, std::int64_t c) { return 2 * x.at(row, c); };
  Table sum = table(4, 4, [&](auto row, auto c) { return y(row, c) + x.at(row, c); });
  Table product = table(4, 4, [&](auto row, auto c) {
    double all = 0;
    for (std::int64_t k = 0; k < 4; ++k) all += y(row, k) * x.at(c, k);
    return all;
  });
  Table of_columns = table(1, 4, [&](auto, auto c) { return 2 * column_sum(x, c, 0, 4); });
  double largest = 2 * *std::max_element(x.values.begin(), x.values.end());
  Table middle = table(4, 2, [&](auto row, auto c) { return y(row, c + 1); });
  Table twice = table(4, 4, y);
  Table longer = table(8, 4, [&](auto row, auto c) { return row < 4 ? y(row, c) : x.at(row - 4, c); });
  Table running = table(4, 4, [&](auto row, auto c) {
    double all = 0;
    for (std::int64_t k = 0; k <= c; ++k) all += y(row, k);
    return all;
  });
  std::vector<Doubles> found = computed(several, x.array());
  std::vector<Doubles> expected{sum.values,    product.values, of_columns.values, {largest},
                                middle.values, longer.values,  twice.values,      running.values};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(found[i], expected[i]) << "result " << i;
}

TEST(outside_of_shard_map, gradients_go_through_whole_operations_and_borders) {
  Table x = some_table(4, 4), w = some_table(4, 4, 2);
  auto loss = [](Array v, Array weights) {
    Array y = in_blocks(v);                                                 // 2x
    Array part = slice_in_dim(y * weights, 1, 4);                           // rows 1 to 3
    return reduce_sum(part) + reduce_sum(in_blocks(square(in_blocks(v))));  // and 2 (2x)^2
  };
  Table expected =
      table(4, 4, [&](auto row, auto c) { return (row > 0 ? 2 * w.at(row, c) : 0) + 16 * x.at(row, c); });
  EXPECT_EQ(computed_one(grad(loss), x.array(), w.array()), expected.values);
}

TEST(outside_of_shard_map, results_of_one_program_are_arguments_of_another) {
  Table x = some_table(4, 4);
  Machine machine = open_local(mesh(), {.workers = 1});
  auto first = machine.compile(in_blocks, x.array());
  Array sharded = first(x.array());
  auto by_rows = shard_map([](Array rows) { return reduce_sum(rows, 1); },
                           {.mesh = mesh(), .in = P(SpecEntry{"b", "c"}), .out = P(SpecEntry{"b", "c"})});
  auto whole = [](Array v) { return matmul(v, v); };
  Doubles sums, product;
  for (std::int64_t row = 0; row < 4; ++row) {
    sums.push_back(0);
    for (std::int64_t c = 0; c < 4; ++c) sums.back() += 2 * x.at(row, c);
    for (std::int64_t c = 0; c < 4; ++c) {
      product.push_back(0);
      for (std::int64_t k = 0; k < 4; ++k) product.back() += 4 * x.at(row, k) * x.at(k, c);
    }
  }
  EXPECT_EQ(numbers(machine.compile(by_rows, sharded)(sharded)), sums);
  EXPECT_EQ(numbers(machine.compile(whole, sharded)(sharded)), product);
}

// Data that a program closes over is an argument, too, wherever it lies.
TEST(outside_of_shard_map, sharded_data_may_be_closed_over) {
  Table x = some_table(4, 4), y = some_table(4, 4, 2);
  Machine machine = open_local(mesh(), {.workers = 1});
  Array sharded = machine.compile(in_blocks, x.array())(x.array());
  auto with_data = [&](Array v) { return in_blocks(v) * sharded; };
  Table expected = table(4, 4, [&](auto row, auto c) { return 2 * y.at(row, c) * 2 * x.at(row, c); });
  EXPECT_EQ(computed_one(with_data, y.array()), expected.values);
}

}  // namespace
}  // namespace tutti
