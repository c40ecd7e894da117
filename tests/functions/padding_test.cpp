// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/padding.hpp"

#include <gtest/gtest.h>

#include "tests/functions/made.hpp"

namespace tutti {
namespace {

const Tensor row = counted_i32({3});
const Type f32_row(DType::f32, {3});

Tensor padded(const Tensor& x, const PadWidths& widths, PadMode mode, const PadOptions& options = {}) {
  return made({x}, [&](const Arrays& a) { return pad(a[0], widths, mode, options); });
}

TEST(pad_by_a_mode, constant_is_zero_or_a_value) {
  EXPECT_EQ(made({row}, [](const Arrays& x) { return pad(x[0], {{1, 2}}); }),
            numbers({6}, {0, 1, 2, 3, 0, 0}));
  EXPECT_EQ(padded(row, 1, PadMode::constant, {.constant_value = 9}), numbers({5}, {9, 1, 2, 3, 9}));
  EXPECT_EQ(padded(Tensor(Shape{1}, std::vector<bool>{true}), 1, PadMode::constant),
            Tensor(Shape{3}, std::vector<bool>{false, true, false}));
  EXPECT_EQ(padded(row, {{1, 0}}, PadMode::empty), numbers({4}, {0, 1, 2, 3}));
  EXPECT_EQ(padded(counted_i32({0}), 1, PadMode::constant), numbers({2}, {0, 0}));
}

TEST(pad_by_a_mode, edge) {
  EXPECT_EQ(padded(row, {{2, 1}}, PadMode::edge), numbers({6}, {1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(padded(counted_i32({2, 2}), 1, PadMode::edge),
            numbers({4, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
}

TEST(pad_by_a_mode, reflect) {
  EXPECT_EQ(padded(row, 2, PadMode::reflect), numbers({7}, {3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(padded(row, {{5, 4}}, PadMode::reflect), numbers({12}, {2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3}));
  EXPECT_EQ(padded(counted_i32({1}), 2, PadMode::reflect), numbers({5}, {1, 1, 1, 1, 1}));
  EXPECT_EQ(padded(row, {{4, 3}}, PadMode::reflect, {.odd = true}),
            numbers({10}, {-3, -2, -1, 0, 1, 2, 3, 4, 5, 6}));
}

TEST(pad_by_a_mode, symmetric) {
  EXPECT_EQ(padded(row, 2, PadMode::symmetric), numbers({7}, {2, 1, 1, 2, 3, 3, 2}));
  EXPECT_EQ(padded(row, {{4, 7}}, PadMode::symmetric),
            numbers({14}, {3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3}));
  EXPECT_EQ(padded(row, {{4, 2}}, PadMode::symmetric, {.odd = true}),
            numbers({9}, {-1, -1, 0, 1, 1, 2, 3, 3, 4}));
}

TEST(pad_by_a_mode, wrap) {
  EXPECT_EQ(padded(row, {{1, 2}}, PadMode::wrap), numbers({6}, {3, 1, 2, 3, 1, 2}));
  EXPECT_EQ(padded(row, {{4, 3}}, PadMode::wrap), numbers({10}, {3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
}

TEST(pad_by_a_mode, linear_ramp) {
  const Tensor x(Shape{2}, {4.F, 6.F});
  EXPECT_EQ(padded(x, {{4, 2}}, PadMode::linear_ramp),
            Tensor(Shape{8}, {0.F, 1.F, 2.F, 3.F, 4.F, 6.F, 3.F, 0.F}));
  EXPECT_EQ(padded(x, {{0, 2}}, PadMode::linear_ramp, {.end_value = 8}),
            Tensor(Shape{4}, {4.F, 6.F, 7.F, 8.F}));
  EXPECT_EQ(padded(numbers({1}, {5}), {{2, 0}}, PadMode::linear_ramp), numbers({3}, {0, 2, 5}));
  const Tensor bytes(Shape{2}, std::vector<std::uint8_t>{3, 1});
  EXPECT_EQ(padded(bytes, {{3, 3}}, PadMode::linear_ramp, {.end_value = 255}),  // as numpy.pad
            Tensor(Shape{8}, std::vector<std::uint8_t>{255, 171, 87, 3, 1, 85, 170, 255}));
}

TEST(pad_by_a_mode, statistics) {
  const Tensor x = numbers({4}, {3, 1, 5, 2});
  EXPECT_EQ(padded(x, 1, PadMode::maximum), numbers({6}, {5, 3, 1, 5, 2, 5}));
  EXPECT_EQ(padded(x, 1, PadMode::minimum), numbers({6}, {1, 3, 1, 5, 2, 1}));
  EXPECT_EQ(padded(x, 1, PadMode::mean), numbers({6}, {3, 3, 1, 5, 2, 3}));
  EXPECT_EQ(padded(x, 1, PadMode::median), numbers({6}, {2, 3, 1, 5, 2, 2}));
  EXPECT_EQ(padded(numbers({1}, {16'777'217}), 1, PadMode::median),
            numbers({3}, {16'777'217, 16'777'217, 16'777'217}));
  EXPECT_EQ(padded(x, 1, PadMode::median, {.stat_length = 3}), numbers({6}, {3, 3, 1, 5, 2, 2}));
  EXPECT_EQ(padded(x, 1, PadMode::maximum, {.stat_length = 2}), numbers({6}, {3, 3, 1, 5, 2, 5}));
  EXPECT_EQ(padded(x, 1, PadMode::minimum, {.stat_length = 1}), numbers({6}, {3, 3, 1, 5, 2, 2}));
  EXPECT_EQ(padded(x, 1, PadMode::mean, {.stat_length = 99}), numbers({6}, {3, 3, 1, 5, 2, 3}));
  EXPECT_EQ(padded(Tensor(Shape{2}, {1.F, 2.F}), {{0, 1}}, PadMode::mean),
            Tensor(Shape{3}, {1.F, 2.F, 1.5F}));
}

TEST(pad_by_a_mode, pads_dim_by_dim) {
  EXPECT_EQ(padded(counted_i32({2, 3}), {{1, 0}, {0, 2}}, PadMode::wrap),
            numbers({3, 5}, {4, 5, 6, 4, 5, 1, 2, 3, 1, 2, 4, 5, 6, 4, 5}));
  EXPECT_EQ(padded(counted_i32({0, 2}), {{0, 0}, {1, 0}}, PadMode::edge), numbers({0, 3}, {}));
  EXPECT_EQ(padded(counted_i32({}), 3, PadMode::edge), numbers({}, {1}));
}

TEST(pad_by_a_mode, of_no_width_is_x_itself) {
  for (PadMode mode : {PadMode::constant, PadMode::edge, PadMode::reflect, PadMode::mean})
    EXPECT_EQ(program_text({f32_row}, [&](const Arrays& x) { return pad(x[0], 0, mode); }),
              "program(%0: f32[3]) {\n  return %0\n}\n");
}

TEST(pad_by_a_mode, of_an_unreduced_sum_is_one) {
  Axis a = example_mesh().axes()[0];
  Type sum = f32_row.with(a, unreduced);
  for (PadMode mode : {PadMode::constant, PadMode::edge, PadMode::reflect, PadMode::wrap, PadMode::mean}) {
    Program program = trace({sum}, [&](const Arrays& x) { return Arrays{pad(x[0], 1, mode)}; }).program;
    EXPECT_EQ(program.type(program.outputs[0]), sum.with(Shape{5})) << static_cast<int>(mode);
  }
}

std::string refusal_of_pad(const Type& x, const PadWidths& widths, PadMode mode,
                           const PadOptions& options = {}) {
  return refused({x}, [&](const Arrays& a) { return pad(a[0], widths, mode, options); });
}

TEST(pad_by_a_mode, refuses_widths_that_do_not_fit) {
  EXPECT_EQ(refusal_of_pad(f32_row, {{1, 2}, {3, 4}}, PadMode::edge),
            "T006: pad: 2 widths for the 1 dim of f32[3]; give one for each, or one for all");
  EXPECT_EQ(refusal_of_pad(f32_row, {{1, -2}}, PadMode::edge),
            "T005: pad: width {1, -2}; it is at least 0. To leave elements out: slice_in_dim");
  EXPECT_EQ(refusal_of_pad(f32_row, {{.low = 1, .interior = 2}}, PadMode::edge),
            "T005: pad: interior 2 in a mode; between elements stands a value: pad(x, value, padding)");
}

TEST(pad_by_a_mode, refuses_to_take_elements_from_nothing) {
  EXPECT_EQ(refusal_of_pad(Type(DType::f32, {2, 0}), {{0, 0}, {1, 0}}, PadMode::wrap),
            "T005: pad: dim 1 of f32[2,0] has no element to pad with; pad with a value: PadMode::constant");
  EXPECT_EQ(refusal_of_pad(f32_row, 1, PadMode::mean, {.stat_length = 0}),
            "T005: pad: stat_length 0 leaves no element; it is at least 1");
}

TEST(pad_by_a_mode, refuses_options_of_other_modes) {
  EXPECT_EQ(refusal_of_pad(f32_row, 1, PadMode::edge, {.constant_value = 3}),
            "T005: pad: constant_value beside PadMode::edge, which does not use it; leave it out, or take a "
            "mode that does: constant");
  EXPECT_EQ(refusal_of_pad(f32_row, 1, PadMode::constant, {.end_value = 3}),
            "T005: pad: end_value beside PadMode::constant, which does not use it; leave it out, or take a "
            "mode that does: linear_ramp");
  EXPECT_EQ(refusal_of_pad(f32_row, 1, PadMode::wrap, {.stat_length = 3}),
            "T005: pad: stat_length beside PadMode::wrap, which does not use it; leave it out, or take a "
            "mode that does: maximum, minimum, mean, median");
  EXPECT_EQ(refusal_of_pad(f32_row, 1, PadMode::wrap, {.odd = true}),
            "T005: pad: odd beside PadMode::wrap, which does not use it; leave it out, or take a mode that "
            "does: reflect, symmetric");
}

TEST(pad_by_a_mode, refuses_a_value_that_does_not_fit) {
  EXPECT_EQ(
      refusal_of_pad(Type(DType::i32, {3}), 1, PadMode::constant, {.constant_value = 0.5}).substr(0, 10),
      "T008: pad:");
  EXPECT_EQ(refusal_of_pad(Type(DType::i32, {3}), 1, PadMode::linear_ramp, {.end_value = 0.5}).substr(0, 10),
            "T008: pad:");
}

}  // namespace
}  // namespace tutti
