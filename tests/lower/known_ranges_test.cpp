// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/known_ranges.hpp"

#include <gtest/gtest.h>

#include "tests/support/scripted_op.hpp"
#include "tutti/lower/lower.hpp"

namespace tutti {
namespace {

const Mesh grid({{"x", 4}, {"y", 2}});
const Axis x = grid.axes()[0], y = grid.axes()[1];

/// The smallest `last` for which the value is known to lie in [0, last], as far as 99; -1: for none.
int known_last(const std::function<stablehlo::Value(Emitter&, stablehlo::Value input)>& value) {
  int found = -1;
  ProgramOf program;
  const Type number(DType::i32, {});
  const Var input = program.input(number);
  const Var result =
      program.equation(number, {input}, [&](Emitter& emitter, const Lowered& operands) -> Lowered {
        const stablehlo::Value made = value(emitter, operands[0]);
        for (int last = 99; last >= 0 && emitter.is_known_inside(made, last); --last) found = last;
        return operands;
      });
  lower_per_device(program.returning({result}), grid);
  return found;
}

stablehlo::Value number(Emitter& emitter, int value) {
  return emitter.constant(Tensor::scalar(std::int32_t{value}));
}
stablehlo::Value made(Emitter& emitter, std::string_view op, const Lowered& operands) {
  return emitter.emit(op, operands, Type(DType::i32, {}));
}

TEST(known_ranges, has_constants) {
  EXPECT_EQ(known_last([](Emitter& e, auto) { return number(e, 5); }), 5);
  EXPECT_EQ(known_last([](Emitter& e, auto) { return number(e, 0); }), 0);
  EXPECT_EQ(known_last([](Emitter& e, auto) { return number(e, -1); }), -1);
  EXPECT_EQ(known_last([](Emitter& e, auto) {
              return e.constant(Tensor(Shape{3}, std::vector<std::int64_t>{4, 9, 2}));
            }),
            9);
  EXPECT_EQ(known_last([](Emitter& e, auto) {
              return e.constant(Tensor(Shape{2}, std::vector<std::int64_t>{4, -9}));
            }),
            -1);
  EXPECT_EQ(known_last([](Emitter& e, auto) { return e.constant(Tensor::scalar(2.0F)); }), -1);
}

TEST(known_ranges, has_positions_and_what_is_computed_of_them) {
  EXPECT_EQ(known_last([](Emitter& e, auto) { return e.position({x, y}); }), 7);
  EXPECT_EQ(known_last([](Emitter& e, auto) { return e.position({y}); }), 1);
  EXPECT_EQ(known_last([](Emitter& e, auto) { return e.position({y, x}); }), 7);
  const auto with = [](const char* op, int other) {
    return [=](Emitter& e, stablehlo::Value) { return made(e, op, {e.position({x}), number(e, other)}); };
  };
  EXPECT_EQ(known_last(with("stablehlo.multiply", 5)), 15);
  EXPECT_EQ(known_last(with("stablehlo.add", 5)), 8);
  EXPECT_EQ(known_last(with("stablehlo.add", -5)), -1);
  EXPECT_EQ(known_last(with("stablehlo.divide", 2)), 1);
  EXPECT_EQ(known_last(with("stablehlo.divide", 0)), -1);
  EXPECT_EQ(known_last(with("stablehlo.remainder", 3)), 2);
  EXPECT_EQ(known_last(with("stablehlo.remainder", 9)), 3);
  EXPECT_EQ(known_last(with("stablehlo.minimum", 9)), 9);
  EXPECT_EQ(known_last(with("stablehlo.subtract", 1)), -1);
}

TEST(known_ranges, does_not_know_what_wraps) {
  EXPECT_EQ(known_last([](Emitter& e, auto) {
              const stablehlo::Value large = number(e, 1 << 30);
              return made(e, "stablehlo.remainder", {made(e, "stablehlo.add", {large, large}), number(e, 2)});
            }),
            -1);
}

TEST(known_ranges, does_not_know_inputs_but_what_they_are_clamped_to) {
  EXPECT_EQ(known_last([](Emitter&, stablehlo::Value input) { return input; }), -1);
  const auto clamped = [](Emitter& e, stablehlo::Value low, stablehlo::Value high, stablehlo::Value input) {
    return made(e, "stablehlo.clamp", {low, input, high});
  };
  EXPECT_EQ(known_last([&](Emitter& e, auto input) { return clamped(e, number(e, 0), number(e, 6), input); }),
            6);
  EXPECT_EQ(known_last(
                [&](Emitter& e, auto input) { return clamped(e, number(e, -3), number(e, 6), input); }),
            -1);
  EXPECT_EQ(known_last([&](Emitter& e, auto input) { return clamped(e, input, number(e, 6), number(e, 2)); }),
            -1);
  EXPECT_EQ(known_last([&](Emitter& e, auto input) {  // the upper bound wins
              const stablehlo::Value two = clamped(e, number(e, 5), number(e, 2), input);
              return made(e, "stablehlo.divide", {number(e, 12), two});
            }),
            6);
}

}  // namespace
}  // namespace tutti
