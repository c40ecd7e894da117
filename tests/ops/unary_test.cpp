// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/unary.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/transpose.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0];

using FrontEnd = Array (*)(const Operand&);
struct Named {
  const char* name;
  FrontEnd function;
};
const Named all_functions[] = {{"neg", operator- },
                                {"exp", exp},
                                {"log", log},
                                {"tanh", tanh},
                                {"sqrt", sqrt},
                                {"rsqrt", rsqrt},
                                {"logistic", logistic},
                                {"abs", abs},
                                {"sign", sign},
                                {"sin", sin},
                                {"cos", cos},
                                {"log1p", log1p},
                                {"expm1", expm1},
                                {"erf", erf},
                                {"erf_inv", erf_inv},
                                {"exp2", exp2},
                                {"log2", log2},
                                {"log10", log10},
                                {"tan", tan},
                                {"asin", asin},
                                {"acos", acos},
                                {"atan", atan},
                                {"sinh", sinh},
                                {"cosh", cosh},
                                {"asinh", asinh},
                                {"acosh", acosh},
                                {"atanh", atanh},
                                {"cbrt", cbrt},
                                {"erfc", erfc},
                                {"lgamma", lgamma},
                                {"digamma", digamma},
                                {"trigamma", trigamma},
                                {"round", round},
                                {"floor", floor},
                                {"ceil", ceil}};

std::string text_of(Type type, FrontEnd function) {
  return program_text({type}, [&](const Arrays& x) { return function(x[0]); });
}

TEST(unary, prints_under_its_own_name_and_keeps_the_type) {
  for (const auto& [name, function] : all_functions)
    EXPECT_EQ(text_of(Type(DType::f32, {2, 3}, {{a, varying}}), function),
              std::string("program(%0: f32[2,3]{V:a}) {\n  %1: f32[2,3]{V:a} = ") + name +
                  " %0\n  return %1\n}\n");
}

TEST(unary, neg_abs_and_sign_take_integers) {
  for (FrontEnd function : {FrontEnd(operator-), FrontEnd(abs), FrontEnd(sign)})
    EXPECT_EQ(refusal_of([&] { text_of(Type(DType::i64, {3}), function); }), "accepted");
}

TEST(unary, rejects_bool) {
  EXPECT_EQ(refusal_of([] { text_of(Type(DType::boolean, {3}), operator-); }),
            "T007: neg: bool[3] is neither float nor integer; convert it: convert(x, DType::i32)");
}

TEST(unary, rejects_integers_where_the_function_is_of_floats) {
  for (const auto& [name, function] : all_functions) {
    if (function == FrontEnd(operator-) || function == FrontEnd(abs) || function == FrontEnd(sign)) continue;
    EXPECT_EQ(refusal_of([&] { text_of(Type(DType::i32, {3}), function); }),
              std::string("T007: ") + name + ": i32[3] is not float; convert it: convert(x, DType::f32)");
  }
}

TEST(unary, neg_takes_an_unreduced_sum) {
  EXPECT_EQ(text_of(Type(DType::f32, {}, {{a, unreduced}}), operator-),
            "program(%0: f32[]{U:a}) {\n  %1: f32[]{U:a} = neg %0\n  return %1\n}\n");
}

TEST(unary, rejects_an_unreduced_sum_where_the_function_is_not_linear) {
  for (const auto& [name, function] : all_functions) {
    if (function == FrontEnd(operator-)) continue;
    EXPECT_EQ(
        refusal_of([&] { text_of(Type(DType::f32, {}, {{a, unreduced}}), function); }),
        std::string("T004: ") + name +
            ": the operand is an unreduced sum over 'a' (f32[]{U:a}), which only linear functions take. "
            "Reduce first: psum(x, \"a\")");
  }
}

TEST(unary, rejects_a_number) {
  EXPECT_EQ(refusal_of([] { program_text({}, [](const Arrays&) { return exp(1.0); }); }),
            "T008: exp: no operand is an array; compute with numbers in C++");
}

TEST(unary, refuses_to_transpose_what_is_not_linear) {
  Type x(DType::f32, {3});
  for (const auto& [name, function] : all_functions) {
    if (function == FrontEnd(operator-)) continue;
    Program program = trace({x}, [&](const Arrays& in) { return Arrays{function(in[0])}; }).program;
    EXPECT_EQ(refusal_of([&] { transpose(program, {true}); }),
              std::string("T010: ") + name + ": transpose is refused: it is not linear");
  }
}

TEST(unary, is_finite_is_a_bool) {
  EXPECT_EQ(text_of(Type(DType::f64, {3}, {{a, varying}}), is_finite),
            "program(%0: f64[3]{V:a}) {\n  %1: bool[3]{V:a} = is_finite %0\n  return %1\n}\n");
}

TEST(unary, not_takes_bool_and_integers) {
  EXPECT_EQ(text_of(Type(DType::boolean, {3}), logical_not),
            "program(%0: bool[3]) {\n  %1: bool[3] = not %0\n  return %1\n}\n");
  EXPECT_EQ(text_of(Type(DType::i64, {}), operator~),
            "program(%0: i64[]) {\n  %1: i64[] = not %0\n  return %1\n}\n");
}

TEST(unary, counts_bits_of_integers_only) {
  for (const auto& [name, function] :
       {Named{"popcount", popcount}, Named{"count_leading_zeros", count_leading_zeros}}) {
    EXPECT_EQ(text_of(Type(DType::u8, {3}), function),
              std::string("program(%0: u8[3]) {\n  %1: u8[3] = ") + name + " %0\n  return %1\n}\n");
    for (DType dtype : {DType::f32, DType::boolean, DType::complex64})
      EXPECT_EQ(refusal_of([&] { text_of(Type(dtype, {3}), function); }),
                std::string("T007: ") + name + ": " + std::string(tutti::name(dtype)) +
                    "[3] is not an integer; convert it: convert(x, DType::i32), or take the bits of a float: "
                    "bitcast_convert(x, DType::u32)");
    Program program =
        trace({Type(DType::i32, {3})}, [&](const Arrays& x) { return Arrays{function(x[0])}; }).program;
    EXPECT_EQ(jvp(program, {true}).nonzero, Bits{false});
  }
}

TEST(unary, takes_complex_numbers_where_the_function_has_one_formula) {
  for (FrontEnd function : {FrontEnd(tan), FrontEnd(asin), FrontEnd(acos), FrontEnd(atan), FrontEnd(sinh),
                            FrontEnd(cosh), FrontEnd(asinh), FrontEnd(acosh), FrontEnd(atanh)})
    EXPECT_EQ(refusal_of([&] { text_of(Type(DType::complex64, {3}), function); }), "accepted");
  EXPECT_EQ(refusal_of([] { text_of(Type(DType::complex64, {3}), lgamma); }),
            "T007: lgamma: complex64[3] is complex, for which it is not defined; apply it to the parts: "
            "real(x), imag(x)");
}

TEST(unary, refuses_the_derivative_of_trigamma) {
  Program program =
      trace({Type(DType::f64, {3})}, [](const Arrays& x) { return Arrays{trigamma(x[0])}; }).program;
  EXPECT_EQ(refusal_of([&] { jvp(program, {true}); }),
            "T010: trigamma: jvp is refused: its derivative, the third of lgamma, is no op");
}

TEST(unary, rejects_floats_where_bits_are_turned) {
  EXPECT_EQ(refusal_of([] { text_of(Type(DType::f32, {3}), logical_not); }),
            "T007: not: f32[3] is float, which has no bits to turn; compare it: equal(x, 0)");
}

TEST(unary, what_is_piecewise_constant_has_no_tangent) {
  for (FrontEnd function : {FrontEnd(round), FrontEnd(floor), FrontEnd(ceil), FrontEnd(is_finite)}) {
    Program program =
        trace({Type(DType::f32, {3})}, [&](const Arrays& x) { return Arrays{function(x[0])}; }).program;
    EXPECT_EQ(jvp(program, {true}).nonzero, Bits{false});
  }
}

TEST(unary, sign_has_no_tangent) {
  Program program =
      trace({Type(DType::f32, {3})}, [](const Arrays& x) { return Arrays{sign(x[0])}; }).program;
  EXPECT_EQ(jvp(program, {true}).nonzero, Bits{false});
}

// y = exp(x): the derivative reuses y.
TEST(unary, exp_is_computed_once_with_its_gradient) {
  Program program = trace({Type(DType::f32, {3})}, [](const Arrays& x) { return Arrays{exp(x[0])}; }).program;
  Program gradient = vjp(program, {true});
  for (Equation& equation : gradient.equations) equation.where = {};
  EXPECT_EQ(to_string(gradient), "program(%0: f32[3], %2: f32[3]) {\n"
                                 "  %1: f32[3] = exp %0\n"
                                 "  %3: f32[3] = mul %1, %2\n"
                                 "  return %1, %3\n}\n");
}

TEST(unary, types_its_rules) { EXPECT_EQ(mistyped_rules(Unary::examples()), std::vector<std::string>{}); }

}  // namespace
}  // namespace tutti
