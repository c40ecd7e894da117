// SPDX-License-Identifier: Apache-2.0
// Holes of ragged_all_to_all, in all sections of the list.
#include "tests/holes/hole.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
namespace {

// The slices that each of two devices sends: its first row to device 0, the rest to device 1, which gets row
// 0 of device 0 first.
const SlicesOfEach first_and_rest{.input_offsets = {{0, 1}, {0, 1}},
                                  .send_sizes = {{1, 2}, {1, 1}},
                                  .output_offsets = {{0, 0}, {1, 2}},
                                  .recv_sizes = {{1, 1}, {2, 1}}};
// Nothing but one row of device 0 to 1 and two rows the other way. All slices start in row 0, the empty ones
// as well.
const SlicesOfEach some_empty{.input_offsets = {{0, 0}, {0, 0}},
                              .send_sizes = {{0, 1}, {2, 0}},
                              .output_offsets = {{0, 0}, {0, 0}}};
// The slices of two places: the first keeps nothing and sends row 0; the second sends row 1, and keeps row 0.
const SlicesOfEach in_pairs{.input_offsets = {{0, 0}, {1, 0}},
                            .send_sizes = {{0, 1}, {1, 1}},
                            .output_offsets = {{0, 0}, {1, 1}}};

Array no_rows(std::int64_t rows) { return zeros({rows}, DType::f32); }
Array none_sent(std::int64_t slices) { return zeros({slices}, DType::i32); }

// The slices of place p of a pair, on each of four devices (or lanes) in the order of `crossed`, [[0, 2], [3,
// 1]].
RaggedSlices slices_of_place(const std::string& axis) {
  auto of_all = [](const Blocks& places) { return Blocks{places[0], places[1], places[1], places[0]}; };
  return own_slices({of_all(in_pairs.input_offsets), of_all(in_pairs.send_sizes),
                     of_all(in_pairs.output_offsets)},
                    axis);
}
Array exchanged_in_groups(const Array& x, const Array& output, const std::string& axis) {
  return ragged_all_to_all(x, output, slices_of_place(axis), axis, {.groups = crossed});
}
// Places 0 are devices 0 and 3, places 1 are 2 and 1. Of x = 2d + 1, 2d + 2 on device d:
const Blocks of_four{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
const Blocks exchanged_of_four{{0, 6}, {7, 3}, {1, 5}, {0, 4}};

// --- Types -------------------------------------------------------------------------------------------------

TEST(h005, ragged_exchange_varies_along_its_axes_though_the_output_does_not) {
  EXPECT_EQ(type_of(x2,
                    [](const Array& x) {
                      return ragged_all_to_all(x, no_rows(3), own_slices(some_empty), "x");
                    }),
            "f32[3]{V:x}");
  auto exchange = [](const Array& x) {
    return ragged_all_to_all(x, no_rows(1), {none_sent(4), none_sent(4), none_sent(4)}, "x");
  };
  expect_refused(
      traced([&](Array x) {
        return shard_map(exchange, {.mesh = x4, .in = P("x"), .out = P()})(x);  // refused
      }),
      "T004 {file}:{line}: shard_map: result: f32[1]{V:x} is different on each device along 'x', but the "
      "out-spec P() "
      "says equal on all devices. Name 'x' in the out-spec, or make the devices equal, for example with "
      "psum(x, \"x\") if they are terms of a sum, or pmean(x, \"x\")");
}

TEST(h005, ragged_exchange_keeps_the_states_of_other_axes) {
  auto exchange = [](const Array& x, const Array& output) {
    return ragged_all_to_all(x, output, own_slices(some_empty), "x");
  };
  auto sums = [](const Array& x) { return pcast(x, "y", unreduced); };
  auto reduced_y = [](const Array& x) { return pcast(psum(x, "y"), "y", reduced); };
  EXPECT_EQ(type_of(x2y2, [&](const Array& x) { return exchange(sums(x), sums(x)); }), "f32[2]{V:x, U:y}");
  EXPECT_EQ(type_of(x2y2, [&](const Array& x) { return exchange(reduced_y(x), no_rows(2)); }),
            "f32[2]{V:x, R:y}");
  EXPECT_EQ(type_of(x2y2, [&](const Array& x) { return exchange(psum(x, "y"), no_rows(2)); }), "f32[2]{V:x}");
}

// --- Differentiation ---------------------------------------------------------------------------------------

// Two of five rows are replaced on device 0, and one on device 1.
TEST(h008, rows_under_an_empty_slice_are_hit_if_another_slice_lands_there) {
  auto loss = [](const Array& x, const Array& output) {
    Array result = ragged_all_to_all(x, output, own_slices(some_empty), "x");
    return reduce_sum(result * (arange(5, DType::f32) + 1));
  };
  auto by_output = [&](const Array& x) {
    return grad([&](const Array& output) { return loss(x, output); })(pcast(no_rows(5), "x", varying));
  };
  auto by_operand = [&](const Array& x) {
    return grad([&](const Array& operand) { return loss(operand, no_rows(5)); })(x);
  };
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}}, by_output, {5}, {{0, 0, 3, 4, 5}, {0, 2, 3, 4, 5}});
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}}, by_operand, {2}, {{1, 0}, {1, 2}});
}

TEST(h009, ragged_exchange_in_groups_is_transposed_in_its_groups) {
  expect_blocks(
      x4, {2}, of_four, [](const Array& x) { return exchanged_in_groups(x, no_rows(2), "x"); }, {2},
      exchanged_of_four);
  // Row r on device d counts 10d + r + 1.
  auto weighted = [](const Array& y) {
    return reduce_sum(y * (10 * device_number("x") + arange(2, DType::f32) + 1));
  };
  auto by_operand = [&](const Array& x) {
    return grad([&](const Array& v) { return weighted(exchanged_in_groups(v, no_rows(2), "x")); })(x);
  };
  auto by_output = [&](const Array& x) {
    Array output = pcast(no_rows(2), "x", varying);
    return grad([&](const Array& v) { return weighted(exchanged_in_groups(x, v, "x")); })(output);
  };
  expect_blocks(x4, {2}, of_four, by_operand, {2}, {{21, 0}, {12, 32}, {22, 2}, {11, 0}});
  expect_blocks(x4, {2}, of_four, by_output, {2}, {{1, 0}, {0, 0}, {0, 0}, {31, 0}});
}

// --- Batching ----------------------------------------------------------------------------------------------

TEST(h035, ragged_exchange_between_lanes) {
  auto lane = [](const Array& x) {
    return ragged_all_to_all(x, no_rows(4), own_slices(first_and_rest, "lane"), "lane");
  };
  expect_blocks(line(1), {2, 3}, {{1, 2, 2, 3, 4, 0}},
                [&](const Array& x) { return vmap(lane, {.axis = "lane"})(x); }, {2, 4},
                {{1, 3, 0, 0, 2, 2, 4, 0}});
}

// Position p of four, lane p / 2 of device p % 2, sends its one row, or none if p is 3, to position p + 1.
TEST(h035, ragged_exchange_between_lanes_and_devices) {
  auto lane = [](const Array& x) {
    Array own = 2 * axis_index("lane") + axis_index("x");
    Array to_next = convert(equal(arange(4, DType::i32), own + 1), DType::i32);
    return ragged_all_to_all(x, no_rows(1), {none_sent(4), to_next, none_sent(4)}, {"lane", "x"});
  };
  expect_blocks(x2, {2, 1}, {{10, 12}, {11, 13}},
                [&](const Array& x) { return vmap(lane, {.axis = "lane"})(x); }, {2, 1}, {{0, 11}, {10, 12}});
}

TEST(h036, ragged_exchange_in_groups_beside_lanes) {
  auto lane = [](const Array& x) { return exchanged_in_groups(x, no_rows(2), "x"); };
  Blocks lanes = of_four, expected = exchanged_of_four;
  for (Blocks* blocks : {&lanes, &expected})
    for (std::vector<double>& block : *blocks) block.insert(block.end(), {10 * block[0], 10 * block[1]});
  expect_blocks(x4, {2, 2}, lanes, [&](const Array& x) { return vmap(lane)(x); }, {2, 2}, expected);
}

TEST(h036, ragged_exchange_in_groups_of_lanes) {
  auto lane = [](const Array& x) { return exchanged_in_groups(x, no_rows(2), "lane"); };
  expect_blocks(line(1), {4, 2}, {{1, 2, 3, 4, 5, 6, 7, 8}},
                [&](const Array& x) { return vmap(lane, {.axis = "lane"})(x); }, {4, 2},
                {{0, 6, 7, 3, 1, 5, 0, 4}});
}

// --- Coverage ----------------------------------------------------------------------------------------------

TEST(h082, ragged_exchange_checks_dtypes_rows_and_numbers_of_slices) {
  auto exchange = [](const Array& output, std::int64_t slices, std::int64_t sizes) {
    return on_devices([=](Array x) {
      RaggedSlices given{none_sent(slices), none_sent(sizes), none_sent(slices)};
      return ragged_all_to_all(x, output, given, "data");  // refused
    });
  };
  auto zeros_of = [](const Shape& shape, DType dtype) { return Array(Tensor(shape, dtype)); };
  expect_refused(exchange(zeros_of({2}, DType::f64), 4, 4),
                 "T007 {file}:{line}: ragged_all_to_all: the operand is f32[2]{V:data}, the output f64[2]; "
                 "both must have one dtype: convert one of them");
  expect_refused(exchange(zeros_of({2, 3}, DType::f32), 4, 4),
                 "T005 {file}:{line}: ragged_all_to_all: the operand is f32[2]{V:data}, the output f32[2,3]; "
                 "they may differ in the number of rows only");
  expect_refused(exchange(zeros_of({2}, DType::f32), 4, 8),
                 "T005 {file}:{line}: ragged_all_to_all: send_sizes is i32[8], input_offsets i32[4]; they "
                 "must have a number for each slice");
  expect_refused(exchange(zeros_of({2}, DType::f32), 6, 6),
                 "T005 {file}:{line}: ragged_all_to_all: 6 slices do not split over the 4 devices of 'data'; "
                 "give the same number for each device, and sizes of 0 where there is nothing to send");
}

TEST(h096, ragged_exchange_runs_on_cpus_and_lowers_to_dense_collectives) {
  auto body = [](const Array& x) {
    return ragged_all_to_all(x, no_rows(4), own_slices(first_and_rest), "x");
  };
  expect_blocks(x2, {3}, {{1, 2, 2}, {3, 4, 0}}, body, {4}, {{1, 3, 0, 0}, {2, 2, 4, 0}});
  Program program = trace({Type(DType::f32, {3}).with(x2.axes(), varying)}, [&](const Arrays& x) {
                      auto bound = Builder::current().bind(x2.axes());
                      return Arrays{body(x[0])};
                    }).program;
  std::string text = write(lower_per_device(program, x2));
  EXPECT_EQ(text.find("custom_call"), std::string::npos);
  EXPECT_NE(text.find("stablehlo.all_gather"), std::string::npos);
}

TEST(h096, ragged_exchange_in_groups_of_one_device) {
  SlicesOfEach own{{{0}, {1}}, {{1}, {2}}, {{1}, {0}}};
  auto body = [&](const Array& x) {
    return ragged_all_to_all(x, no_rows(2), own_slices(own), "x", {.groups = {{0}, {1}}});
  };
  expect_blocks(x2, {3}, {{1, 2, 3}, {4, 5, 6}}, body, {2}, {{0, 1}, {5, 6}});
}

}  // namespace
}  // namespace tutti
