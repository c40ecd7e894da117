// SPDX-License-Identifier: Apache-2.0
// Section C of the list: batching.
#include "tests/holes/hole.hpp"

namespace tutti {
namespace {

const Mesh one = line(1);

// In lanes along dim 0 of the block, by the axis "lane"; results have their lanes along dim 0.
Body in_lanes(const Body& lane) {
  return [lane](const Array& x) { return vmap(lane, {.axis = "lane"})(x); };
}
// The same, of results that are equal in all lanes.
Body from_lanes(const Body& lane) {
  return [lane](const Array& x) { return vmap(lane, {.axis = "lane", .out = none})(x); };
}

TEST(h028, reductions_in_groups_of_lanes) {
  const AllReduceOptions pairs{pairs_in_order};
  Body sums = in_lanes([=](const Array& x) { return psum(x, "lane", pairs); });
  Body largest = in_lanes([=](const Array& x) { return pmax(x, "lane", pairs); });
  Body smallest = in_lanes([=](const Array& x) { return pmin(x, "lane", pairs); });
  expect_blocks(one, {4}, {{0, 1, 2, 3}}, sums, {4}, {{1, 1, 5, 5}});
  expect_blocks(one, {4}, {{0, 1, 2, 3}}, largest, {4}, {{1, 1, 3, 3}});
  expect_blocks(one, {4}, {{0, 1, 2, 3}}, smallest, {4}, {{0, 0, 2, 2}});
}

TEST(h029, sum_over_lanes_of_what_is_the_same_in_each) {
  expect_blocks(x2, {4}, {{0, 0, 0, 0}},
                [](const Array& x) {
                  Array outside = 2 + 0 * reduce_sum(x);
                  return from_lanes([&](const Array&) { return psum(outside, "lane"); })(x);
                },
                {}, {{8}});
}

TEST(h030, sum_over_lanes_inside_a_shard_map) {
  expect_blocks(x2, {3}, counting(2, 3), from_lanes([](const Array& x) { return psum(x, "lane"); }), {},
                scalars({3, 12}));
  expect_blocks(x2, {3}, counting(2, 3), from_lanes([](const Array& x) { return psum(x, {"x", "lane"}); }),
                {}, {{15}});
}

TEST(h031, lanes_that_are_no_target_receive_zeros) {
  expect_blocks(one, {4}, {{1, 2, 3, 4}},
                in_lanes([](const Array& x) { return ppermute(x, "lane", {{0, 1}, {1, 2}}); }), {4},
                {{0, 1, 2, 0}});
}

// Lane l of device d holds 2l + d.
const Blocks two_by_two{{0, 2}, {1, 3}};

TEST(h032, broadcast_over_lanes_and_devices) {
  expect_blocks(x2, {2}, two_by_two,
                from_lanes([](const Array& x) { return pbroadcast(x, {"lane", "x"}, {.source = 2}); }), {},
                {{2}});
  expect_blocks(x2, {2}, two_by_two,
                from_lanes([](const Array& x) { return pbroadcast(x, {"x", "lane"}, {.source = 2}); }), {},
                {{1}});
}

TEST(h034, exchange_in_groups_beside_lanes) {
  auto exchange = [](const Array& x) { return all_to_all(x, "x", {.groups = odd_and_even}); };
  expect_blocks(x4, {2, 2}, {{0, 1, 10, 11}, {2, 3, 12, 13}, {4, 5, 14, 15}, {6, 7, 16, 17}},
                in_lanes(exchange), {2, 2}, {{0, 4, 10, 14}, {2, 6, 12, 16}, {1, 5, 11, 15}, {3, 7, 13, 17}});
}

TEST(h034, exchange_in_groups_of_lanes) {
  expect_blocks(one, {4, 2}, counting(1, 8),
                in_lanes([](const Array& x) { return all_to_all(x, "lane", {.groups = odd_and_even}); }),
                {4, 2}, {{0, 4, 2, 6, 1, 5, 3, 7}});
}

TEST(h037, gather_in_groups_of_lanes) {
  expect_blocks(one, {4, 1}, {{3, 9, 5, 2}}, in_lanes([](const Array& x) {
                  return all_gather(x, "lane", {.tiled = true, .groups = crossed});
                }),
                {4, 2}, {{3, 5, 2, 9, 3, 5, 2, 9}});
}

TEST(h038, gather_over_lanes_and_devices) {
  auto gathered = [](std::initializer_list<const char*> axes) {
    return from_lanes(
        [names = AxisNames(axes)](const Array& x) { return all_gather(x, names, {.to = invariant}); });
  };
  expect_blocks(x2, {2}, two_by_two, gathered({"lane", "x"}), {4}, {{0, 1, 2, 3}});
  expect_blocks(x2, {2}, two_by_two, gathered({"x", "lane"}), {4}, {{0, 2, 1, 3}});
}

TEST(h039, scattered_sum_in_groups_of_lanes) {
  expect_blocks(one, {4, 4}, counting(1, 16), in_lanes([](const Array& x) {
                  return psum_scatter(x, "lane", {.tiled = true, .groups = crossed});
                }),
                {4, 2}, {{8, 10, 20, 22, 12, 14, 16, 18}});
}

TEST(h040, scattered_sum_over_lanes_and_devices) {
  expect_blocks(x2, {2, 4}, {{0, 1, 2, 3, 20, 21, 22, 23}, {10, 11, 12, 13, 30, 31, 32, 33}},
                in_lanes([](const Array& x) { return psum_scatter(x, {"lane", "x"}); }), {2},
                {{60, 68}, {64, 72}});
}

TEST(h041, gather_of_lanes_is_equal_in_each) {
  expect_blocks(x2, {3}, counting(2, 3),
                from_lanes([](const Array& x) { return all_gather(x, "lane", {.to = invariant}); }), {3},
                counting(2, 3));
}

TEST(h042, gather_to_reduced_beside_lanes_and_of_lanes) {
  auto over_devices = in_lanes([](const Array& x) { return all_gather(x, "x", {.to = reduced}); });
  EXPECT_EQ(type_of(x2, over_devices), "f32[2,2]{R:x}");
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}}, over_devices, {2, 2}, {{1, 3, 2, 4}});
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}},
                from_lanes([](const Array& x) { return all_gather(x, "lane", {.to = reduced}); }), {2},
                {{1, 2}, {3, 4}});
}

const Blocks rows_of_two{{1, 2, 3, 4}, {5, 6, 7, 8}};

TEST(h043, pending_sums_are_scattered_beside_lanes) {
  auto scattered = [](const Array& x) {
    return in_lanes([](const Array& row) { return psum_scatter(row, "x"); })(terms(x));
  };
  expect_blocks(x2, {2, 2}, rows_of_two, scattered, {2}, {{6, 10}, {8, 12}});
}

TEST(h044, pending_sums_are_reduced_beside_lanes) {
  auto summed = [](const Array& x) {
    return in_lanes([](const Array& row) { return psum(row, "x"); })(terms(x));
  };
  expect_blocks(x2, {2, 2}, rows_of_two, summed, {2, 2}, {{6, 8, 10, 12}});
}

TEST(h046, equal_values_become_reduced_beside_lanes) {
  auto body = in_lanes([](const Array& row) { return as_reduced(psum(row, "x")); });
  EXPECT_EQ(type_of(x2, body), "f32[2]{R:x}");
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}}, body, {2}, {{4, 6}});
}

TEST(h047, varying_values_become_terms_beside_lanes) {
  auto body = in_lanes(terms);
  EXPECT_EQ(type_of(x2, body), "f32[2]{U:x}");
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}}, [&](const Array& x) { return psum(body(x), "x"); }, {2}, {{4, 6}});
}

TEST(h048, reduced_values_become_varying_beside_lanes) {
  auto body = [](const Array& x) {
    return in_lanes([](const Array& row) { return pcast(row, "x", varying); })(as_reduced(psum(x, "x")));
  };
  EXPECT_EQ(type_of(x2, body), "f32[2]{V:x}");
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}}, body, {2}, {{4, 6}});
}

TEST(h051, vmap_of_a_shard_map_with_pending_sums) {
  auto summed =
      shard_map([](Array x) { return terms(x); }, {.mesh = x2, .in = P("x"), .out = P().unreduced({"x"})});
  EXPECT_EQ(of_whole(x2, vmap(summed), {2, 4}, numbers(8)), Tensor({2, 2}, std::vector<float>{2, 4, 10, 12}));
  auto same = [](Array x) { return x; };
  for (const P& spec : {P().unreduced({"x"}), P().reduced({"x"})})
    EXPECT_EQ(of_whole(x2, vmap(shard_map(same, {.mesh = x2, .in = spec, .out = spec})), {2, 4}, numbers(8)),
              Tensor({2, 4}, numbers(8)));
}

TEST(h052, lanes_split_over_an_axis_of_the_mesh) {
  auto rows = [](Array x) { return vmap([](Array row) { return psum(row, "y"); })(x); };
  auto mapped = shard_map(rows, {.mesh = x2y2, .in = P("x", "y"), .out = P("x")});
  EXPECT_EQ(of_whole(x2y2, mapped, {2, 8}, numbers(16)),
            Tensor({2, 4}, std::vector<float>{4, 6, 8, 10, 20, 22, 24, 26}));
}

}  // namespace
}  // namespace tutti
