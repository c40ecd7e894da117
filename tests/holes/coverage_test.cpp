// SPDX-License-Identifier: Apache-2.0
// Sections E and G of the list: what is typed, and where it is accepted.
#include <cmath>

#include "tests/holes/hole.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/collectives/axis_index.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

Array three() { return full({}, 3, DType::f32); }

// --- States ------------------------------------------------------------------------------------------------

TEST(h059, axes_of_one_call_may_be_in_different_states) {
  Blocks along_x = scalars({5, 5, 7, 7});
  auto of_one = [](auto function) { return [=](const Array& x) { return function(pmax(x, "y")); }; };
  AxisNames both{"x", "y"};
  expect_blocks(x2y2, {}, along_x, of_one([=](Array v) { return psum(v, both); }), {}, {{24}});
  expect_blocks(x2y2, {}, along_x, of_one([=](Array v) { return psum(terms(v), both); }), {}, {{24}});
  expect_blocks(x2y2, {}, along_x, of_one([=](Array v) { return pmax(v, both); }), {}, {{7}});
  expect_blocks(x2y2, {}, along_x,
                of_one([=](Array v) { return psum_scatter(v * arange(4, DType::f32), both); }), {},
                scalars({0, 24, 48, 72}));
  expect_blocks(x2y2, {}, along_x, of_one([=](Array v) { return pcast(v, both, varying); }), {}, along_x);
}

// The values of two devices after a transition, from 1 and 2 where they differ, from 3 where they are equal.
struct Transition {
  std::string type;
  Body body;
  Blocks expected;
};

TEST(h061, every_transition_between_states_can_be_written) {
  auto to_sum = [](const Array& x) { return psum(x, "x"); };
  auto equal_three = [](const Array&) { return three(); };
  auto reduced_three = [](const Array&) { return as_reduced(three()); };
  std::vector<Transition> all{
      {"f32[]{V:x}", [=](const Array& x) { return pcast(equal_three(x), "x", varying); }, {{3}}},
      {"f32[]{R:x}", [=](const Array& x) { return as_reduced(equal_three(x)); }, {{3}}},
      {"f32[]{U:x}", [=](const Array& x) { return mask(equal_three(x), "x"); }, {{3}, {0}}},
      {"f32[]", to_sum, {{3}}},
      {"f32[]{U:x}", terms, {{1}, {2}}},
      {"f32[]{R:x}", [=](const Array& x) { return as_reduced(to_sum(x)); }, {{3}}},
      {"f32[]", [=](const Array& x) { return psum(terms(x), "x"); }, {{3}}},
      {"f32[]{V:x}",
       [](const Array& x) { return psum_scatter(terms(x * arange(2, DType::f32)), "x"); },
       {{0}, {3}}},
      {"f32[]{R:x}", [](const Array& x) { return as_reduced(psum(terms(x), "x")); }, {{3}}},
      {"f32[]{V:x}", [=](const Array& x) { return pcast(reduced_three(x), "x", varying); }, {{3}}},
      {"f32[]", [=](const Array& x) { return pcast(reduced_three(x), "x", invariant); }, {{3}}},
      {"f32[]{U:x}", [=](const Array& x) { return mask(reduced_three(x), "x"); }, {{3}, {0}}},
  };
  ASSERT_EQ(all.size(), 12U);
  for (const Transition& transition : all) {
    EXPECT_EQ(type_of(x2, [&](const Array& x) { return transition.body(reduce_sum(x)); }), transition.type);
    expect_blocks(x2, {}, scalars({1, 2}), transition.body, {}, transition.expected);
  }
}

TEST(h074, pending_sums_leave_a_shard_map_over_some_axes) {
  ShardMapOptions options{.mesh = x2y2, .in = P("x"), .out = P().unreduced({"x"}), .axes = {"x"}};
  EXPECT_EQ(of_whole(x2y2, shard_map(terms, options), {4}, numbers(4)),
            Tensor({2}, std::vector<float>{2, 4}));
}

TEST(h075, pending_sums_leave_a_nested_shard_map) {
  auto inner = [](Array x) {
    ShardMapOptions options{.mesh = x2y2, .in = P("x"), .out = P().unreduced({"x"}), .axes = {"x"}};
    return shard_map(terms, options)(x);
  };
  ShardMapOptions outer{.mesh = x2y2, .in = P("y"), .out = P("y"), .axes = {"y"}};
  EXPECT_EQ(of_whole(x2y2, shard_map(inner, outer), {4}, numbers(4)), Tensor({2}, std::vector<float>{1, 5}));
}

TEST(h077, bodies_close_over_arrays_of_outside) {
  auto scaled = [](Array x) {
    Array weights = 2 * x;
    auto body = [&](Array part) { return part * reduce_sum(weights); };
    return shard_map(body, {.mesh = x4, .in = P("x"), .out = P("x")})(x);
  };
  EXPECT_EQ(of_whole(x4, scaled, {4}, numbers(4)), Tensor({4}, std::vector<float>{0, 12, 24, 36}));
}

TEST(h078, reduced_values_and_pending_sums_go_beside_numbers) {
  auto shifted = [](const Array&) { return 2 * (as_reduced(three()) + 1); };
  auto plus_equal = [](const Array&) { return as_reduced(three()) + three(); };
  EXPECT_EQ(type_of(x2, shifted), "f32[]{R:x}");
  EXPECT_EQ(type_of(x2, plus_equal), "f32[]{R:x}");
  expect_blocks(x2, {}, scalars({1, 2}), shifted, {}, {{8}});
  expect_blocks(x2, {}, scalars({1, 2}), [](const Array& x) { return psum(2 * terms(x), "x"); }, {}, {{6}});
}

TEST(h079, a_value_reduced_along_one_axis_goes_beside_one_that_varies_along_two) {
  auto scaled = [](const Array&) { return as_reduced(three()) * device_number({"x", "y"}); };
  EXPECT_EQ(type_of(x2y2, scaled), "f32[]{V:x, V:y}");
  expect_blocks(x2y2, {}, {{0}}, scaled, {}, scalars({0, 3, 6, 9}));
}

TEST(h080, linear_functions_take_pending_sums) {
  auto twos = [] { return as_reduced(full({2}, 2, DType::f32)); };
  std::vector<std::tuple<Body, Shape, std::vector<double>>> all{
      {[](const Array& u) { return -u; }, {2}, {-4, -6}},
      {[](const Array& u) { return u - 0.5 * u; }, {2}, {2, 3}},
      {[](const Array& u) { return take(u, 1, 0); }, {}, {6}},
      {[](const Array& u) { return dynamic_slice_in_dim(u, 1, 1); }, {1}, {6}},
      {[=](const Array& u) { return matmul(u, twos()); }, {}, {20}},
      {[=](const Array& u) { return u * pcast(twos(), "y", varying) / twos(); }, {2}, {4, 6}},
      {[=](const Array& u) { return u / full({2}, 2, DType::f32); }, {2}, {2, 3}},
  };
  Mesh mesh({{"x", 2}, {"y", 1}});
  for (const auto& [function, shape, expected] : all)
    expect_blocks(mesh, {2}, {{1, 2}, {3, 4}},
                  [&, &with = function](const Array& x) { return psum(with(terms(x)), "x"); }, shape,
                  {expected});
}

TEST(h080, scatter_add_takes_reduced_values) {
  const GatherDims elements{.offset_dims = {},
                            .collapsed_slice_dims = {Dim{0}},
                            .start_index_map = {Dim{0}},
                            .index_vector_dim = Dim{1}};
  auto body = [=](const Array&) {
    Array x = as_reduced(arange(3, DType::f32)), updates = as_reduced(full({2}, 5, DType::f32));
    return scatter_add(x, reshape(arange(2, DType::i32), {2, 1}), updates, elements);
  };
  EXPECT_EQ(type_of(x2, body), "f32[3]{R:x}");
  expect_blocks(x2, {}, scalars({1, 2}), body, {3}, {{5, 6, 2}});
}

// --- Control flow ------------------------------------------------------------------------------------------

TEST(h081, branches_and_carries_are_joined) {
  auto branch = [](const Array& x) {
    return cond(psum(x, "x") > 0, [&] { return x; }, [] { return three(); });
  };
  expect_blocks(x2, {}, scalars({1, 2}), branch, {}, scalars({1, 2}));
  auto carry = [](const Array& x) { return fori_loop(0, 3, [&](Array, Array c) { return c + x; }, three()); };
  expect_blocks(x2, {}, scalars({1, 2}), carry, {}, scalars({6, 9}));
  auto until = [](const Array& x) {
    auto trip = [&](Pair p) { return Pair{p.first + 1, p.second * x}; };
    Pair start{zeros({}, DType::i32), three()};
    return while_loop([](Pair p) { return p.first < 2; }, trip, start).second;
  };
  expect_blocks(x2, {}, scalars({1, 2}), until, {}, scalars({3, 12}));
}

TEST(h110, branches_that_do_not_join_say_what_both_are) {
  expect_refused(
      on_devices([](Array x) {
        auto sum = [](Array y) { return pcast(y, "data", unreduced); };
        auto equal_ones = [](Array y) { return ones_like(y); };
        return cond(reduce_sum(ones_like(x)) > 0, sum, equal_ones, x);  // refused
      }),
      "T004 {file}:{line}: cond: result 0 is equal on all devices along 'data' in one branch and an "
      "unreduced sum over 'data' in another (f32[2], f32[2]{U:data}). Reduce the sum: psum(x, \"data\"), "
      "or return terms from both: mask(x, \"data\")");
}

TEST(h111, scan_goes_over_pending_sums_and_stacks_them) {
  auto body = [](const Array& x) {
    auto step = [](std::tuple<>, Array u) { return std::pair{std::tuple<>{}, 2 * u}; };
    return scan(step, std::tuple<>{}, terms(x)).second;
  };
  EXPECT_EQ(type_of(x2, body), "f32[2]{U:x}");
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}}, [&](const Array& x) { return psum(body(x), "x"); }, {2},
                {{8, 12}});
}

TEST(h111, scan_has_a_gradient_by_a_stack_of_reduced_weights) {
  auto loss = [](const Array& weights, const Array& x) {
    auto step = [&](Array c, Array w) { return std::pair{c + w * x, std::tuple<>{}}; };
    return scan(step, zeros({}, DType::f32), as_reduced(weights)).first;
  };
  auto by_weights = [&](const Array& x) {
    return grad([&](const Array& w) { return loss(w, x); })(arange(2, DType::f32));
  };
  expect_blocks(x2, {}, scalars({1, 2}), by_weights, {2}, {{3, 3}});
}

// --- Single collectives ------------------------------------------------------------------------------------

TEST(h065, broadcast_over_an_axis_with_a_long_name) {
  expect_blocks(Mesh({{"model", 3}}), {}, scalars({5, 6, 7}),
                [](const Array& x) { return pbroadcast(x, "model", {.source = 2}); }, {}, {{7}});
}

TEST(h066, broadcast_takes_equal_values_and_gives_one) {
  auto body = [](Array x) { return pbroadcast(x, "x", {.source = 3}); };
  EXPECT_EQ(of_whole(x4, shard_map(body, {.mesh = x4, .in = P("x"), .out = P()}), {4}, numbers(4)),
            Tensor({1}, std::vector<float>{3}));
  expect_from_equal(x4, {2}, {5, 6}, body, {2}, {{5, 6}});
}

TEST(h067, position_of_the_largest_over_two_axes_and_of_a_nan) {
  expect_blocks(x2y2, {}, scalars({3, 1, 7, 1}), [](const Array& x) { return pargmax(x, {"y", "x"}); }, {},
                {{1}});
  expect_blocks(x4, {}, scalars({3, 7, NAN, 1}), [](const Array& x) { return pargmax(x, "x"); }, {}, {{2}});
  expect_blocks(x4, {}, scalars({3, 7, NAN, 1}), [](const Array& x) { return pargmin(x, "x"); }, {}, {{2}});
}

TEST(h068, scattered_sum_of_bools_counts_them) {
  expect_blocks(
      x2, {2}, {{1, 0}, {1, 1}}, [](const Array& x) { return psum_scatter(x > 0, "x"); }, {},
      scalars({2, 1}));
}

TEST(h069, pending_sum_is_scattered_along_a_dim_counted_from_the_end) {
  expect_blocks(x2, {2, 2}, {{1, 2, 3, 4}, {5, 6, 7, 8}},
                [](const Array& x) { return psum_scatter(terms(x), "x", {.dim = -1}); }, {2},
                {{6, 10}, {8, 12}});
}

TEST(h070, every_collective_takes_several_axes_alike) {
  AxisNames both{"x", "y"};
  std::vector<std::pair<std::string, Body>> all{
      {"f32[2]", [&](const Array& x) { return psum(x, both); }},
      {"f32[2]", [&](const Array& x) { return pmean(x, both); }},
      {"f32[2]", [&](const Array& x) { return pmax(x, both); }},
      {"f32[2]", [&](const Array& x) { return pbroadcast(x, both); }},
      {"i32[2]", [&](const Array& x) { return pargmin(x, both); }},
      {"f32[2]{V:x, V:y}", [&](const Array& x) { return ppermute(x, both, {{0, 3}}); }},
      {"f32[2]{V:x, V:y}", [&](const Array& x) { return pshuffle(x, both, {3, 2, 1, 0}); }},
      {"f32[4,2]{V:x, V:y}", [&](const Array& x) { return all_gather(x, both); }},
      {"f32[]{V:x, V:y}",
       [&](const Array& x) { return reduce_sum(psum_scatter(broadcast_to(x, {4, 2}), both)); }},
      {"f32[4,2]{V:x, V:y}", [&](const Array& x) { return all_to_all(broadcast_to(x, {4, 2}), both); }},
      {"f32[4,2]{V:x, V:y}", [&](const Array& x) { return pswapaxes(broadcast_to(x, {4, 2}), both, 0); }},
      {"f32[2]{U:x, U:y}", [&](const Array& x) { return pcast(x, both, unreduced); }},
      {"f32[2]{U:x, U:y}", [&](const Array& x) { return mask(ones_like(x), both); }},
      {"f32[2]{V:x, V:y}", [&](const Array& x) { return keep_on_one(ones_like(x), both); }},
      {"f32[2]", [&](const Array& x) { return assume_invariant(x, both); }},
      {"i32[]{V:x, V:y}", [&](const Array&) { return axis_index(both); }},
      {"f32[2]{V:x, V:y}", [&](const Array& x) { return x * axis_size(both); }},
  };
  for (const auto& [type, body] : all) EXPECT_EQ(type_of(x2y2, body), type);
}

TEST(h071, permutation_counts_axes_in_the_order_given) {
  Pairs shift{{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  expect_blocks(
      x2y2, {}, scalars({0, 1, 2, 3}), [&](const Array& x) { return ppermute(x, {"y", "x"}, shift); }, {},
      scalars({3, 2, 0, 1}));
}

TEST(h071, permutation_that_is_none_is_refused_when_traced) {
  expect_refused(
      on_devices([](Array x) {
        return ppermute(x, "data", {{0, 1}, {2, 1}});  // refused
      }),
      "T009 {file}:{line}: ppermute: device 1 is the target of two pairs ([(0, 1), (2, 1)]); a device "
      "receives once: use psum, or permute twice");
  expect_refused(
      on_devices([](Array x) {
        return ppermute(x, "data", {{0, 4}});  // refused
      }),
      "T009 {file}:{line}: ppermute: there is no device 4 along 'data' ([(0, 4)]); it has devices 0 to 3");
}

TEST(h073, position_along_several_axes_is_one_op) {
  Axes axes = i4j2.axes();
  Program program =
      trace({}, [&](const Arrays&) { return Arrays{axis_index(Axes{axes[1], axes[0]})}; }).program;
  ASSERT_EQ(program.equations.size(), 1U);
  EXPECT_NE(program.equations[0].op.as<AxisIndex>(), nullptr);
  expect_blocks(
      i4j2, {}, {{0}}, [](const Array&) { return axis_index({"j", "i"}); }, {},
      scalars({0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(h083, gather_to_reduced_casts_equal_values) {
  auto body = [](const Array&) { return all_gather(three(), "x", {.to = reduced}); };
  EXPECT_EQ(type_of(x2, body), "f32[2]{R:x}");
  expect_blocks(x2, {}, scalars({1, 2}), body, {2}, {{3, 3}});
}

// --- Machines ----------------------------------------------------------------------------------------------

TEST(h094, broadcast_runs_on_cpus) {
  expect_blocks(i2j2, {}, scalars({0, 1, 2, 3}),
                [](const Array& x) { return pbroadcast(x, {"i", "j"}, {.source = 2}); }, {}, {{2}});
  expect_blocks(i2j2, {}, scalars({0, 1, 2, 3}),
                [](const Array& x) { return pbroadcast_start(x, {"i", "j"}, {.source = 2}).done(); }, {},
                {{2}});
}

TEST(h098, exchange_over_some_axes_of_the_mesh) {
  auto columns = [](Array rows) { return all_to_all(rows, "x", {.split = 1, .tiled = true}); };
  ShardMapOptions options{.mesh = x2y2, .in = P("x"), .out = P(none, "x"), .axes = {"x"}};
  EXPECT_EQ(of_whole(x2y2, shard_map(columns, options), {4, 4}, numbers(16)), Tensor({4, 4}, numbers(16)));
}

}  // namespace
}  // namespace tutti
