// SPDX-License-Identifier: Apache-2.0
// Section F of the list, and what other sections say about start and done, and about send and receive.
#include "tests/holes/hole.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
namespace {

const Mesh one = line(1);
const Pairs first_to_second{{0, 1}};

/// A collective in two halves, of x = [1,2] at the first of two positions along `axis` and [3,4] at the
/// second.
struct InHalves {
  std::string name;
  std::function<Array(const Array& x, const std::string& axis)> body;
  Shape result;
  Blocks expected, gradient;  // the gradient is of `weighted` results
};

// Element i at position p counts 10p + i + 1.
Array weighted(const Array& y, const std::string& axis) {
  Array number = reshape(arange(y.shape().elements(), DType::f32), y.shape());
  return reduce_sum(y * (10 * device_number(axis) + number + 1));
}

// The first sends its row 0, the second both rows.
RaggedSlices slices_both_ways(const std::string& axis) {
  return own_slices({.input_offsets = {{0, 0}, {0, 0}},
                     .send_sizes = {{0, 1}, {2, 0}},
                     .output_offsets = {{0, 0}, {0, 0}}},
                    axis);
}

const std::vector<InHalves>& all_in_halves() {
  using Axis = const std::string&;
  static const std::vector<InHalves> all{
      {"psum", [](const Array& x, Axis a) { return psum_start(x, a).done(); }, {2}, {{4, 6}}, {{12, 14}}},
      {"pmean", [](const Array& x, Axis a) { return pmean_start(x, a).done(); }, {2}, {{2, 3}}, {{6, 7}}},
      {"pmax",
       [](const Array& x, Axis a) { return pmax_start(x, a).done(); },
       {2},
       {{3, 4}},
       {{0, 0}, {12, 14}}},
      {"pmin",
       [](const Array& x, Axis a) { return pmin_start(x, a).done(); },
       {2},
       {{1, 2}},
       {{12, 14}, {0, 0}}},
      {"all_gather",
       [](const Array& x, Axis a) { return all_gather_start(x, a).done(); },
       {2, 2},
       {{1, 2, 3, 4}},
       {{12, 14}, {16, 18}}},
      {"psum_scatter",
       [](const Array& x, Axis a) { return psum_scatter_start(x, a).done(); },
       {},
       {{4}, {6}},
       {{1, 11}}},
      {"all_to_all",
       [](const Array& x, Axis a) { return all_to_all_start(x, a).done(); },
       {2},
       {{1, 3}, {2, 4}},
       {{1, 11}, {2, 12}}},
      {"ppermute",
       [](const Array& x, Axis a) { return ppermute_start(x, a, first_to_second).done(); },
       {2},
       {{0, 0}, {1, 2}},
       {{11, 12}, {0, 0}}},
      {"pbroadcast",
       [](const Array& x, Axis a) { return pbroadcast_start(x, a, {.source = 1}).done(); },
       {2},
       {{3, 4}},
       {{0, 0}, {12, 14}}},
      {"ragged_all_to_all",
       [](const Array& x, Axis a) {
         return ragged_all_to_all_start(x, zeros({2}, DType::f32), slices_both_ways(a), a).done();
       },
       {2},
       {{3, 4}, {1, 0}},
       {{11, 0}, {1, 2}}},
  };
  return all;
}
const InHalves sent_and_received{"psend and precv",
                                 [](const Array& x, const std::string& a) {
                                   return precv(psend(x, a, first_to_second), x, a, first_to_second);
                                 },
                                 {2},
                                 {{0, 0}, {1, 2}},
                                 {{11, 12}, {0, 0}}};
const Blocks two_rows{{1, 2}, {3, 4}};

void expect_gradient(const InHalves& pair) {
  auto loss = [&](const Array& x) { return weighted(pair.body(x, "x"), "x"); };
  expect_blocks(x2, {2}, two_rows, [&](const Array& x) { return grad(loss)(x); }, {2}, pair.gradient);
}

// Lane 1 holds ten times what lane 0 holds: so do the results.
void expect_lanes_beside(const InHalves& pair) {
  auto lane = [&](const Array& x) { return pair.body(x, "x"); };
  Blocks expected = pair.expected;
  for (std::vector<double>& block : expected) {
    std::vector<double> more = block;
    for (double value : more) block.push_back(10 * value);
  }
  expect_blocks(
      x2, {2, 2}, {{1, 2, 10, 20}, {3, 4, 30, 40}}, [&](const Array& x) { return vmap(lane)(x); },
      pair.result.inserted(Dim{0}, 2), expected);
}

void expect_own_lanes(const InHalves& pair) {
  auto lane = [&](const Array& x) { return pair.body(x, "lane"); };
  std::vector<double> expected = pair.expected[0];
  expected.insert(expected.end(), pair.expected.back().begin(), pair.expected.back().end());
  expect_blocks(one, {2, 2}, {{1, 2, 3, 4}}, [&](const Array& x) { return vmap(lane, {.axis = "lane"})(x); },
                pair.result.inserted(Dim{0}, 2), {expected});
}

template <class T>
std::string type_of_future(const Future<T>& future) {
  return to_string(future.leaves()[0].pending.type());
}
/// The type of the future that `start` of f32[2]{V:x} returns. The future is finished.
std::string type_of_started(const std::function<Future<Array>(const Array&)>& start) {
  std::string type;
  type_of(x2, [&](const Array& x) {
    Future<Array> future = start(x);
    type = type_of_future(future);
    return future.done();
  });
  return type;
}

/// The program of `body` for a device of x2, plainly lowered.
std::string plainly_lowered(const Body& body) {
  Program program = trace({Type(DType::f32, {2}).with(x2.axes(), varying)}, [&](const Arrays& x) {
                      auto bound = Builder::current().bind(x2.axes());
                      return Arrays{body(x[0])};
                    }).program;
  return write(lower_per_device(program, x2));
}

// --- Send and receive --------------------------------------------------------------------------------------

TEST(h004, what_is_received_differs_between_devices) {
  auto receive = [](const Array& x) { return sent_and_received.body(x, "x"); };
  EXPECT_EQ(type_of(x2, receive), "f32[2]{V:x}");
  expect_refused(
      traced([&](Array x) {
        return shard_map(receive, {.mesh = x4, .in = P("x"), .out = P()})(x);  // refused
      }),
      "T004 {file}:{line}: shard_map: result: f32[1]{V:x} is different on each device along 'x', but the "
      "out-spec P() "
      "says equal on all devices. Name 'x' in the out-spec, or make the devices equal, for example with "
      "psum(x, \"x\") if they are terms of a sum, or pmean(x, \"x\")");
}

TEST(h010, send_in_lanes_gives_a_token) {
  auto lane = [](const Array& x) {
    auto token = psend(x, "x", first_to_second);
    EXPECT_EQ(type_of_future(token.sent()),
              "pending<permute{axes='x', pairs=[(0, 1)]}, f32[2]{V:x, V:vmap}>");
    return precv(token, x, "x", first_to_second);
  };
  expect_blocks(x2, {2, 2}, {{1, 2, 3, 4}, {5, 6, 7, 8}}, [&](const Array& x) { return vmap(lane)(x); },
                {2, 2}, {{0, 0, 0, 0}, {1, 2, 3, 4}});
}

TEST(h010, send_of_what_is_the_same_in_each_lane) {
  auto lanes = [](const Array& x) {
    Array outside = 2 * reduce_sum(x);
    auto lane = [&](const Array& own) {
      return own + precv(psend(outside, "x", first_to_second), outside, "x", first_to_second);
    };
    return vmap(lane)(x);
  };
  expect_blocks(x2, {2}, two_rows, lanes, {2}, {{1, 2}, {9, 10}});
}

TEST(h020, send_and_receive_have_derivatives) { expect_gradient(sent_and_received); }

TEST(h033, receive_in_lanes_and_between_lanes) {
  expect_lanes_beside(sent_and_received);
  expect_own_lanes(sent_and_received);
}

TEST(h072, receive_takes_a_tree) {
  using Two = std::pair<Array, Array>;
  auto body = [](const Array& x) {
    auto token = psend(Two{x, 10 * reduce_sum(x)}, "x", first_to_second);
    Two like{abstract({2}, DType::f32), abstract({}, DType::f32)};
    auto [row, sum] = precv(token, like, "x", first_to_second);
    return row + sum;
  };
  expect_blocks(x2, {2}, two_rows, body, {2}, {{0, 0}, {31, 32}});
}

TEST(h095, send_and_receive_run_on_cpus) {
  auto body = [](const Array& x) { return sent_and_received.body(x, "x"); };
  expect_blocks(x2, {2}, two_rows, body, sent_and_received.result, sent_and_received.expected);
  EXPECT_NE(plainly_lowered(body).find("stablehlo.collective_permute"), std::string::npos);
}

// --- Pending maxima ----------------------------------------------------------------------------------------

TEST(h018, pending_maximum_has_a_derivative_that_ties_share) {
  auto largest = [](const Array& x) { return pmax_start(x, "x").done(); };
  auto smallest = [](const Array& x) { return pmin_start(x, "x").done(); };
  expect_blocks(
      x4, {}, scalars({1, 3, 3, 2}), [&](const Array& x) { return grad(largest)(x); }, {},
      scalars({0, 0.5, 0.5, 0}));
  expect_blocks(
      x4, {}, scalars({1, 3, 3, 1}), [&](const Array& x) { return grad(smallest)(x); }, {},
      scalars({0.5, 0, 0, 0.5}));
}

TEST(h018, pending_maximum_between_lanes_has_a_derivative_that_ties_share) {
  auto largest = [](const Array& x) { return pmax_start(x, "lane").done(); };
  auto over_both = [](const Array& x) { return pmax_start(x, {"lane", "x"}).done(); };
  auto sum_of_lanes = [](const Body& lane) {
    return [lane](const Array& x) { return reduce_sum(vmap(lane, {.axis = "lane"})(x)); };
  };
  expect_blocks(one, {4}, {{1, 3, 3, 2}}, [&](const Array& x) { return grad(sum_of_lanes(largest))(x); }, {4},
                {{0, 2, 2, 0}});
  expect_blocks(x2, {2}, {{1, 3}, {3, 2}}, [&](const Array& x) { return grad(sum_of_lanes(over_both))(x); },
                {2}, {{0, 1}, {1, 0}});
}

TEST(h045, pending_maximum_in_lanes_and_between_lanes) {
  auto beside = [](const Array& x) { return pmax_start(x, "x", {.groups = pairs_in_order}).done(); };
  auto between = [](const Array& x) { return pmin_start(x, "lane", {.groups = pairs_in_order}).done(); };
  expect_blocks(x4, {2}, {{0, 9}, {1, 8}, {2, 7}, {3, 6}}, [&](const Array& x) { return vmap(beside)(x); },
                {2}, {{1, 9}, {1, 9}, {3, 7}, {3, 7}});
  expect_blocks(one, {4}, {{0, 1, 2, 3}}, [&](const Array& x) { return vmap(between, {.axis = "lane"})(x); },
                {4}, {{0, 0, 2, 2}});
}

TEST(h064, maximum_is_pending_inside_the_body) {
  EXPECT_EQ(type_of_started([](const Array& x) { return pmax_start(x, "x"); }),
            "pending<all_reduce{kind=max, axes='x'}, f32[2]>");
  expect_blocks(
      x4, {}, scalars({1, 3, 3, 2}),
      [](const Array& x) {
        auto future = pmax_start(x, "x");
        Array meanwhile = 2 * x;
        return future.done() + meanwhile;
      },
      {}, scalars({5, 9, 9, 7}));
}

// --- Start and done ----------------------------------------------------------------------------------------

TEST(h021, start_and_done_have_derivatives) {
  for (const InHalves& pair : all_in_halves()) {
    SCOPED_TRACE(pair.name);
    expect_gradient(pair);
  }
}

TEST(h050, start_and_done_in_lanes_and_between_lanes) {
  for (const InHalves& pair : all_in_halves()) {
    SCOPED_TRACE(pair.name);
    expect_lanes_beside(pair);
    expect_own_lanes(pair);
  }
}

TEST(h086, started_sum_is_pending) {
  EXPECT_EQ(type_of_started([](const Array& x) { return psum_start(x, "x"); }),
            "pending<all_reduce{kind=sum, axes='x'}, f32[2]>");
}

TEST(h087, start_of_an_unreduced_sum_is_pending) {
  EXPECT_EQ(type_of_started([](const Array& x) { return psum_start(terms(x), "x"); }),
            "pending<all_reduce{kind=sum, axes='x'}, f32[2]>");
  EXPECT_EQ(type_of_started([](const Array& x) { return psum_scatter_start(terms(x), "x"); }),
            "pending<reduce_scatter{axes='x', dim=0, stacking=new_dim}, f32[]{V:x}>");
  expect_blocks(x2, {2}, two_rows, [](const Array& x) { return psum_start(terms(x), "x").done(); }, {2},
                {{4, 6}});
  expect_blocks(x2, {2}, two_rows, [](const Array& x) { return psum_scatter_start(terms(x), "x").done(); },
                {}, {{4}, {6}});
}

TEST(h088, started_gather_to_an_equal_value_is_pending) {
  auto start = [](const Array& x) { return all_gather_start(x, "x", {.tiled = true, .to = invariant}); };
  EXPECT_EQ(type_of_started(start), "pending<all_gather{axes='x', dim=0, stacking=tiled, to=I}, f32[4]>");
  EXPECT_EQ(type_of(x2, [&](const Array& x) { return start(x).done(); }), "f32[4]");
  expect_blocks(x2, {2}, two_rows, [&](const Array& x) { return start(x).done(); }, {4}, {{1, 2, 3, 4}});
}

TEST(h089, start_of_a_constant_is_pending) {
  auto start = [](const Array&) { return psum_start(full({}, 2, DType::f32), "x"); };
  EXPECT_EQ(type_of_started(start), "pending<all_reduce{kind=sum, axes='x'}, f32[]>");
  expect_blocks(x2, {2}, two_rows, [&](const Array& x) { return start(x).done(); }, {}, {{4}});
}

TEST(h090, scattered_sum_is_started_along_a_dim_that_goes) {
  expect_blocks(x2, {2, 2}, {{1, 2, 3, 4}, {5, 6, 7, 8}},
                [](const Array& x) { return psum_scatter_start(x, "x", {.dim = 1}).done(); }, {2},
                {{6, 10}, {8, 12}});
}

TEST(h091, exchange_to_another_dim_is_started) {
  expect_blocks(x2, {2, 3}, counting(2, 6),
                [](const Array& x) { return all_to_all_start(x, "x", {.split = 0, .concat = 1}).done(); },
                {3, 2}, {{0, 6, 1, 7, 2, 8}, {3, 9, 4, 10, 5, 11}});
}

TEST(h092, every_collective_is_started_in_groups_too) {
  Blocks four = scalars({1, 2, 3, 4});
  auto expect_started = [&](const Body& body, const Blocks& expected) {
    expect_blocks(x4, {}, four, body, {}, expected);
  };
  const AllReduceOptions pairs{pairs_in_order};
  expect_started([&](const Array& x) { return psum_start(x, "x", pairs).done(); }, scalars({3, 3, 7, 7}));
  expect_started([&](const Array& x) { return pmean_start(x, "x", pairs).done(); }, scalars({1.5, 1.5, 3.5}));
  expect_started([&](const Array& x) { return pmax_start(x, "x", pairs).done(); }, scalars({2, 2, 4, 4}));
  expect_started([&](const Array& x) { return pmin_start(x, "x", pairs).done(); }, scalars({1, 1, 3, 3}));
  expect_started([](const Array& x) { return pbroadcast_start(x, "x", {.source = 2}).done(); }, {{3}});
  expect_started([](const Array& x) { return precv(psend(x, "x", {{0, 3}}), x, "x", {{0, 3}}); },
                 scalars({0, 0, 0, 1}));
  auto ragged = [](const Array& x) {
    SlicesOfEach swap{.input_offsets = {{0, 0}}, .send_sizes = {{0, 1}, {1, 0}}, .output_offsets = {{0, 0}}};
    for (Blocks* rows : {&swap.input_offsets, &swap.output_offsets}) rows->resize(4, (*rows)[0]);
    swap.send_sizes.insert(swap.send_sizes.end(), {swap.send_sizes[0], swap.send_sizes[1]});
    return ragged_all_to_all_start(x, x, own_slices(swap), "x", {.groups = pairs_in_order}).done();
  };
  expect_blocks(x4, {1}, four, ragged, {1}, scalars({2, 1, 4, 3}));
}

TEST(h093, start_and_done_in_a_shard_map_of_whole_arrays) {
  auto body = [](Array x) { return psum_start(x, "x").done(); };
  EXPECT_EQ(of_whole(x4, shard_map(body, {.mesh = x4, .in = P("x"), .out = P()}), {4}, numbers(4)),
            Tensor({1}, std::vector<float>{6}));
}

TEST(h097, start_and_done_run_here_and_lower_to_plain_collectives) {
  for (const InHalves& pair : all_in_halves()) {
    SCOPED_TRACE(pair.name);
    auto body = [&](const Array& x) { return pair.body(x, "x"); };
    expect_blocks(x2, {2}, two_rows, body, pair.result, pair.expected);
    std::string text = plainly_lowered(body);
    EXPECT_NE(text.find("channel_handle"), std::string::npos);
    EXPECT_EQ(text.find("async"), std::string::npos);
    EXPECT_EQ(text.find("custom_call"), std::string::npos);
  }
}

}  // namespace
}  // namespace tutti
