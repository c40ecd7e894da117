// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/binary.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/api/derivatives.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/run/machine.hpp"
#include "tutti/transform/transpose.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0];

using FrontEnd = Array (*)(const Operand&, const Operand&);
struct Named {
  const char* name;
  FrontEnd function;
};
const Named arithmetic[] = {{"add", operator+ },
                             {"sub", operator- },
                              {"mul", operator* },
                               {"div", operator/ },
                                {"rem", operator% },
                                 {"rem", rem},
                                 {"pow", pow},
                                 {"maximum", maximum},
                                 {"minimum", minimum},
                                 {"atan2", atan2}};
const Named logic[] = {
    {"and", operator& },
     {"or", operator| }, {"xor", operator^ }, {"and", logical_and}, {"or", logical_or}, {"xor", logical_xor}};

const Type f32(DType::f32, {3}), sum = f32.with(a, unreduced), shared = f32.with(a, reduced),
                                 own = f32.with(a, varying);

std::string text_of(Type x, Type y, FrontEnd function) {
  return program_text({x, y}, [&](const Arrays& in) { return function(in[0], in[1]); });
}

std::string refused(Type x, Type y, FrontEnd function) {
  return refusal_of([&] { text_of(x, y, function); });
}

TEST(binary, prints_under_its_own_name_and_keeps_the_type) {
  for (const auto& [name, function] : arithmetic)
    EXPECT_EQ(text_of(own, own, function), std::string("program(%0: f32[3]{V:a}, %1: f32[3]{V:a}) {\n") +
                                               "  %2: f32[3]{V:a} = " + name + " %0, %1\n  return %2\n}\n");
  for (const auto& [name, function] : logic)
    EXPECT_EQ(text_of(Type(DType::i32, {}), Type(DType::i32, {}), function),
              std::string("program(%0: i32[], %1: i32[]) {\n  %2: i32[] = ") + name +
                  " %0, %1\n  return %2\n}\n");
}

TEST(binary, a_number_takes_the_dtype_and_the_shape_beside_it) {
  EXPECT_EQ(program_text({Type(DType::f64, {2})}, [](const Arrays& x) { return 1 - x[0]; }),
            "program(%0: f64[2]) {\n"
            "  %1: f64[] = constant{value=1}\n"
            "  %2: f64[2] = broadcast_in_dim{to=[2], dims=[]} %1\n"
            "  %3: f64[2] = sub %2, %0\n"
            "  return %3\n}\n");
}

TEST(binary, broadcasts_as_numpy_does) {
  EXPECT_EQ(text_of(Type(DType::f32, {2, 1}), Type(DType::f32, {3}), operator*),
            "program(%0: f32[2,1], %1: f32[3]) {\n"
            "  %2: f32[2,3] = broadcast_in_dim{to=[2,3], dims=[0, 1]} %0\n"
            "  %3: f32[2,3] = broadcast_in_dim{to=[2,3], dims=[1]} %1\n"
            "  %4: f32[2,3] = mul %2, %3\n"
            "  return %4\n}\n");
}

TEST(binary, casts_an_equal_operand_beside_a_varying_one) {
  EXPECT_EQ(text_of(own, f32, operator+), "program(%0: f32[3]{V:a}, %1: f32[3]) {\n"
                                          "  %2: f32[3]{V:a} = cast{axes='a', from=I, to=V} %1\n"
                                          "  %3: f32[3]{V:a} = add %0, %2\n"
                                          "  return %3\n}\n");
}

TEST(binary, casts_an_equal_factor_of_a_sum_to_reduced) {
  EXPECT_EQ(text_of(f32, sum, operator*), "program(%0: f32[3], %1: f32[3]{U:a}) {\n"
                                          "  %2: f32[3]{R:a} = cast{axes='a', from=I, to=R} %0\n"
                                          "  %3: f32[3]{U:a} = mul %2, %1\n"
                                          "  return %3\n}\n");
}

TEST(binary, divides_a_sum_by_a_reduced_denominator) {
  EXPECT_EQ(Binary{BinaryFn::div}.infer({sum, shared}), Types{sum});
}

TEST(binary, adds_and_subtracts_sums) {
  EXPECT_EQ(Binary{BinaryFn::add}.infer({sum, sum}), Types{sum});
  EXPECT_EQ(Binary{BinaryFn::sub}.infer({sum, sum}), Types{sum});
}

TEST(binary, rejects_a_sum_plus_an_equal_part) {
  EXPECT_EQ(refused(sum, f32, operator+), "T004: add: the left operand is an unreduced sum over 'a' "
                                          "(f32[3]{U:a}), the right operand is equal on all "
                                          "devices along 'a' (f32[3]); the equal part would be counted 2 "
                                          "times. Reduce first: psum(left, \"a\"), or "
                                          "keep it on one device: mask(right, \"a\")");
}

TEST(binary, rejects_a_product_of_two_sums) {
  EXPECT_EQ(refused(sum, sum, operator*),
            "T004: mul: the left operand is an unreduced sum over 'a' (f32[3]{U:a}), the right operand is an "
            "unreduced "
            "sum over 'a' (f32[3]{U:a}); the devices' results would not add up to the result. Reduce first: "
            "psum(left, \"a\")");
}

TEST(binary, rejects_a_sum_in_the_denominator) {
  EXPECT_EQ(refused(f32, sum, operator/), "T004: div: the denominator is an unreduced sum over 'a' "
                                          "(f32[3]{U:a}); one over a sum is not the sum of "
                                          "one over its terms. Reduce first: psum(denominator, \"a\")");
}

TEST(binary, rejects_a_sum_where_the_function_is_not_linear) {
  for (const auto& [name, function] : {Named{"maximum", maximum}, Named{"pow", pow}, Named{"rem", rem}})
    EXPECT_EQ(refused(sum, sum, function),
              std::string("T004: ") + name +
                  ": the left operand is an unreduced sum over 'a' (f32[3]{U:a}), which only "
                  "linear functions take. Reduce first: psum(left, \"a\")");
}

// It truncates: the quotients of the terms do not add up to that of the sum.
TEST(binary, rejects_a_sum_of_integers_that_is_divided) {
  EXPECT_EQ(
      refusal_of(Binary{BinaryFn::div}, {sum.with(DType::i32), shared.with(DType::i32)}),
      "T004: the left operand is an unreduced sum over 'a' (i32[3]{U:a}), which only linear functions take. "
      "Reduce first: psum(left, \"a\")");
}

TEST(binary, rejects_different_dtypes) {
  EXPECT_EQ(
      refused(f32, f32.with(DType::f64), operator+),
      "T007: add: f32[3] and f64[3] have different dtypes; convert one of them: convert(x, DType::f64)");
}

TEST(binary, rejects_shapes_that_do_not_broadcast) {
  EXPECT_EQ(refused(f32, Type(DType::f32, {2}), operator+),
            "T005: add: shapes [3] and [2] do not broadcast: 3 and 2 in dim 1 from the end; sizes must be "
            "equal, or 1");
}

TEST(binary, as_an_op_is_strict_about_shapes) {
  EXPECT_EQ(refusal_of(Binary{BinaryFn::add}, {f32, Type(DType::f32, {1})}),
            "T005: f32[3] and f32[1] have different shapes; use broadcast_in_dim first");
}

TEST(binary, rejects_bool_where_there_is_no_meaning) {
  for (const auto& [name, function] :
       {Named{"sub", operator-}, Named{"div", operator/}, Named{"rem", rem}, Named{"pow", pow}})
    EXPECT_EQ(refused(f32.with(DType::boolean), f32.with(DType::boolean), function),
              std::string("T007: ") + name +
                  ": bool[3] is neither float nor integer; convert it: convert(x, DType::i32)");
}

const Named shifts[] = {{"shift_left", shift_left},
                        {"shift_right_arithmetic", shift_right_arithmetic},
                        {"shift_right_logical", shift_right_logical}};

TEST(binary, shifts_integers_only) {
  Type i64(DType::i64, {3});
  for (const auto& [name, function] : shifts) {
    EXPECT_EQ(refused(i64, i64, function), "accepted");
    EXPECT_EQ(refused(f32, f32, function),
              std::string("T007: ") + name + ": f32[3] is float; convert it: convert(x, DType::i32)");
    EXPECT_EQ(refused(f32.with(DType::boolean), f32.with(DType::boolean), function),
              std::string("T007: ") + name +
                  ": bool[3] is neither float nor integer; convert it: convert(x, DType::i32)");
  }
}

TEST(binary, rejects_the_angle_of_integers) {
  EXPECT_EQ(refused(f32.with(DType::i32), f32.with(DType::i32), atan2),
            "T007: atan2: i32[3] is not float; convert it: convert(x, DType::f32)");
}

TEST(binary, rejects_floats_in_logic) {
  for (const auto& [name, function] : logic)
    EXPECT_EQ(refused(f32, f32, function),
              std::string("T007: ") + name + ": f32[3] is float; convert it: convert(x, DType::i32)");
}

TEST(binary, rejects_a_floating_point_number_beside_integers) {
  EXPECT_EQ(
      refusal_of([] { program_text({Type(DType::i32, {3})}, [](const Arrays& x) { return x[0] + 0.5; }); }),
      "T008: add: the number 0.5 does not fit i32; write a whole number without a point, or convert to a "
      "float dtype");
}

// The cotangent of an equal factor of partial terms is a partial term; the cast of the factor sums it.
TEST(binary, the_gradient_of_an_equal_factor_is_reduced_by_its_cast) {
  Program product = trace({f32, sum}, [](const Arrays& x) { return Arrays{x[0] * x[1]}; }).program;
  Program gradient = vjp(product, {true, false});
  for (Equation& equation : gradient.equations) equation.where = {};
  EXPECT_EQ(to_string(gradient), "program(%0: f32[3], %1: f32[3]{U:a}, %4: f32[3]{R:a}) {\n"
                                 "  %2: f32[3]{R:a} = cast{axes='a', from=I, to=R} %0\n"
                                 "  %3: f32[3]{U:a} = mul %2, %1\n"
                                 "  %5: f32[3]{U:a} = mul %4, %1\n"
                                 "  %6: f32[3] = all_reduce{kind=sum, axes='a'} %5\n"
                                 "  return %3, %6\n}\n");
}

TEST(binary, refuses_to_transpose_a_denominator) {
  Program program = trace({f32, f32}, [](const Arrays& x) { return Arrays{x[0] / x[1]}; }).program;
  EXPECT_EQ(refusal_of([&] { transpose(program, {false, true}); }),
            "T010: div: transpose is refused: div is not linear in its denominator");
}

TEST(binary, refuses_to_transpose_a_product_of_two_linear_operands) {
  Program program = trace({f32}, [](const Arrays& x) { return Arrays{x[0] * x[0]}; }).program;
  EXPECT_EQ(refusal_of([&] { transpose(program, {true}); }),
            "T010: mul: transpose is refused: mul is linear in one operand at a time");
}

TEST(binary, refuses_to_transpose_what_is_not_linear) {
  Program program = trace({f32, f32}, [](const Arrays& x) { return Arrays{maximum(x[0], x[1])}; }).program;
  EXPECT_EQ(refusal_of([&] { transpose(program, {true, true}); }),
            "T010: maximum: transpose is refused: it is not linear");
}

TEST(binary, types_its_rules) { EXPECT_EQ(mistyped_rules(Binary::examples()), std::vector<std::string>{}); }

TEST(relu, is_the_maximum_with_zero) {
  EXPECT_EQ(program_text({Type(DType::f32, {})}, [](const Arrays& x) { return relu(x[0]); }),
            "program(%0: f32[]) {\n"
            "  %1: f32[] = constant{value=0}\n"
            "  %2: bool[] = le %0, %1\n"
            "  %3: f32[] = constant{value=0}\n"
            "  %4: f32[] = select %2, %3, %0\n"
            "  return %4\n}\n");
}

TEST(relu, has_no_slope_at_zero) {
  Array x = Tensor(Shape{3}, {-1.0F, 0.0F, 2.0F});
  Machine machine = open_local(Mesh({{"x", 1}}), {.workers = 1});
  auto slope = machine.compile(grad([](const Array& y) { return reduce_sum(relu(y)); }), x);
  EXPECT_EQ(slope(x).tensor(), Tensor(Shape{3}, {0.0F, 0.0F, 1.0F}));
}

TEST(pow, has_no_slope_by_its_base_where_the_exponent_is_zero) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Array x = Tensor(Shape{3}, {0.0, 2.0, infinite});
  Machine machine = open_local(Mesh({{"x", 1}}), {.workers = 1});
  auto slope = machine.compile(grad([](const Array& y) { return reduce_sum(pow(y, 0)); }), x);
  EXPECT_EQ(slope(x).tensor(), Tensor(Shape{3}, {0.0, 0.0, 0.0}));
}

TEST(assignments, are_the_operation_and_a_new_value) {
  EXPECT_EQ(program_text({Type(DType::f32, {}), Type(DType::f32, {})},
                         [](Arrays x) {
                           x[0] += x[1];
                           x[0] *= x[0];
                           x[0] -= x[1];
                           x[0] /= x[1];
                           return x[0];
                         }),
            "program(%0: f32[], %1: f32[]) {\n"
            "  %2: f32[] = add %0, %1\n"
            "  %3: f32[] = mul %2, %2\n"
            "  %4: f32[] = sub %3, %1\n"
            "  %5: f32[] = div %4, %1\n"
            "  return %5\n}\n");
}

TEST(square, is_one_product) {
  EXPECT_EQ(program_text({Type(DType::i32, {8})}, [](const Arrays& x) { return square(x[0]); }),
            "program(%0: i32[8]) {\n"
            "  %1: i32[8] = mul %0, %0\n"
            "  return %1\n}\n");
}

}  // namespace
}  // namespace tutti
