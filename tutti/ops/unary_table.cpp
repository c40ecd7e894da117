// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/unary_table.hpp"

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

enum class Takes {
  numbers,  // all but bool
  bits,     // integers and bool
  complex,
  floats,
  floats_and_complex,
  integers
};
Takes taken_by(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::neg:
    case UnaryFn::abs:
    case UnaryFn::sign: return Takes::numbers;
    case UnaryFn::logical_not: return Takes::bits;
    case UnaryFn::real:
    case UnaryFn::imag: return Takes::complex;
    case UnaryFn::exp:
    case UnaryFn::log:
    case UnaryFn::tanh:
    case UnaryFn::sqrt:
    case UnaryFn::rsqrt:
    case UnaryFn::logistic:
    case UnaryFn::sin:
    case UnaryFn::cos:
    case UnaryFn::log1p:
    case UnaryFn::expm1:
    case UnaryFn::tan:
    case UnaryFn::asin:
    case UnaryFn::acos:
    case UnaryFn::atan:
    case UnaryFn::sinh:
    case UnaryFn::cosh:
    case UnaryFn::asinh:
    case UnaryFn::acosh:
    case UnaryFn::atanh: return Takes::floats_and_complex;
    case UnaryFn::erf:
    case UnaryFn::erf_inv:
    case UnaryFn::xla_erf_inv:
    case UnaryFn::exp2:
    case UnaryFn::log2:
    case UnaryFn::log10:
    case UnaryFn::cbrt:
    case UnaryFn::erfc:
    case UnaryFn::lgamma:
    case UnaryFn::digamma:
    case UnaryFn::trigamma:
    case UnaryFn::round:
    case UnaryFn::floor:
    case UnaryFn::ceil:
    case UnaryFn::is_finite: return Takes::floats;
    case UnaryFn::popcount:
    case UnaryFn::count_leading_zeros: return Takes::integers;
  }
  return Takes::floats;
}

}  // namespace

bool takes(UnaryFn fn, DType dtype) {
  switch (taken_by(fn)) {
    case Takes::numbers: return dtype != DType::boolean;
    case Takes::bits: return !is_inexact(dtype);
    case Takes::complex: return is_complex(dtype);
    case Takes::floats: return is_float(dtype);
    case Takes::floats_and_complex: return is_inexact(dtype);
    case Takes::integers: return is_integer(dtype);
  }
  return false;
}

void refuse(UnaryFn fn, Type x) {
  switch (taken_by(fn)) {
    case Takes::numbers:
      fail(Code::dtype, "{} is neither float nor integer; convert it: convert(x, DType::i32)", to_string(x));
    case Takes::bits:
      fail(Code::dtype, "{} is {}, which has no bits to turn; compare it: equal(x, 0)", to_string(x),
           is_float(x.dtype()) ? "float" : "complex");
    case Takes::complex:
      fail(Code::dtype, "{} is not complex, it is its own real part; use it as it is", to_string(x));
    case Takes::integers:
      fail(Code::dtype,
           "{} is not an integer; convert it: convert(x, DType::i32), or take the bits of a float: "
           "bitcast_convert(x, DType::u32)",
           to_string(x));
    case Takes::floats:
    case Takes::floats_and_complex: break;
  }
  if (is_complex(x.dtype()))
    fail(Code::dtype, "{} is complex, for which it is not defined; apply it to the parts: real(x), imag(x)",
         to_string(x));
  fail(Code::dtype, "{} is not float; convert it: convert(x, DType::f32)", to_string(x));
}

std::string_view stablehlo_name(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::neg: return "stablehlo.negate";
    case UnaryFn::exp: return "stablehlo.exponential";
    case UnaryFn::log: return "stablehlo.log";
    case UnaryFn::tanh: return "stablehlo.tanh";
    case UnaryFn::sqrt: return "stablehlo.sqrt";
    case UnaryFn::rsqrt: return "stablehlo.rsqrt";
    case UnaryFn::logistic: return "stablehlo.logistic";
    case UnaryFn::abs: return "stablehlo.abs";
    case UnaryFn::sign: return "stablehlo.sign";
    case UnaryFn::sin: return "stablehlo.sine";
    case UnaryFn::cos: return "stablehlo.cosine";
    case UnaryFn::log1p: return "stablehlo.log_plus_one";
    case UnaryFn::expm1: return "stablehlo.exponential_minus_one";
    case UnaryFn::erf: return "chlo.erf";
    case UnaryFn::erf_inv:
    case UnaryFn::xla_erf_inv: return "chlo.erf_inv";
    case UnaryFn::tan: return "stablehlo.tan";
    case UnaryFn::cbrt: return "stablehlo.cbrt";
    case UnaryFn::asin: return "chlo.asin";
    case UnaryFn::acos: return "chlo.acos";
    case UnaryFn::atan: return "chlo.atan";
    case UnaryFn::sinh: return "chlo.sinh";
    case UnaryFn::cosh: return "chlo.cosh";
    case UnaryFn::asinh: return "chlo.asinh";
    case UnaryFn::acosh: return "chlo.acosh";
    case UnaryFn::atanh: return "chlo.atanh";
    case UnaryFn::erfc: return "chlo.erfc";
    case UnaryFn::lgamma: return "chlo.lgamma";
    case UnaryFn::digamma: return "chlo.digamma";
    case UnaryFn::popcount: return "stablehlo.popcnt";
    case UnaryFn::count_leading_zeros: return "stablehlo.count_leading_zeros";
    case UnaryFn::exp2:
    case UnaryFn::log2:
    case UnaryFn::log10:
    case UnaryFn::trigamma: break;  // made of several ops
    case UnaryFn::round: return "stablehlo.round_nearest_even";
    case UnaryFn::floor: return "stablehlo.floor";
    case UnaryFn::ceil: return "stablehlo.ceil";
    case UnaryFn::is_finite: return "stablehlo.is_finite";
    case UnaryFn::logical_not: return "stablehlo.not";
    case UnaryFn::real: return "stablehlo.real";
    case UnaryFn::imag: return "stablehlo.imag";
  }
  return {};
}

ExampleOperand example_operand(UnaryFn fn, Type type) {
  switch (fn) {
    case UnaryFn::log:
    case UnaryFn::log2:
    case UnaryFn::log10:
    case UnaryFn::cbrt:
    case UnaryFn::sqrt:
    case UnaryFn::rsqrt: return {type, 0.2, 3};
    case UnaryFn::abs:
    case UnaryFn::sign:
      if (is_unsigned(type.dtype())) return {type, 0, 2};
      return {type, -2, -0.2};
    case UnaryFn::log1p: return {type, -0.6, 2};
    case UnaryFn::erf_inv:
    case UnaryFn::xla_erf_inv: return {type, -0.9, 0.9};
    case UnaryFn::asin:
    case UnaryFn::acos:
    case UnaryFn::atanh: return {type, -0.8, 0.8};
    case UnaryFn::tan: return {type, -1.2, 1.2};
    case UnaryFn::acosh: return {type, 1.2, 3};
    case UnaryFn::lgamma: return {type, 2.2, 6};  // its roots are 1 and 2, that of digamma is 1.46
    case UnaryFn::digamma: return {type, 2, 6};
    case UnaryFn::trigamma: return {type, 0.5, 4};
    case UnaryFn::round: return {type, 1.6, 2.4};
    case UnaryFn::floor:
    case UnaryFn::ceil: return {type, 1.1, 1.9};
    case UnaryFn::popcount:
    case UnaryFn::count_leading_zeros:
    case UnaryFn::logical_not: return {type, is_unsigned(type.dtype()) ? 0.0 : -99.0, 99};
    case UnaryFn::neg:
    case UnaryFn::exp:
    case UnaryFn::exp2:
    case UnaryFn::atan:
    case UnaryFn::sinh:
    case UnaryFn::cosh:
    case UnaryFn::asinh:
    case UnaryFn::erfc:
    case UnaryFn::tanh:
    case UnaryFn::logistic:
    case UnaryFn::sin:
    case UnaryFn::cos:
    case UnaryFn::expm1:
    case UnaryFn::erf:
    case UnaryFn::real:
    case UnaryFn::imag:
    case UnaryFn::is_finite: return {type, -2, 2};
  }
  return {type};
}

About about_unary(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::neg: return {"-x, element by element.", "-x"};
    case UnaryFn::exp: return {"e to the power of x, element by element.", "exp"};
    case UnaryFn::log: return {"The natural logarithm of x, element by element.", "log"};
    case UnaryFn::tanh: return {"The hyperbolic tangent of x, element by element.", "tanh"};
    case UnaryFn::sqrt: return {"The square root of x, element by element.", "sqrt"};
    case UnaryFn::rsqrt: return {"1 / sqrt(x), element by element.", "rsqrt"};
    case UnaryFn::logistic: return {"1 / (1 + exp(-x)), element by element.", "logistic"};
    case UnaryFn::abs: return {"x without its sign, element by element.", "abs"};
    case UnaryFn::sign: return {"-1, 0 or 1; of -0 and NaN itself; element by element.", "sign"};
    case UnaryFn::sin: return {"The sine of x, element by element.", "sin"};
    case UnaryFn::cos: return {"The cosine of x, element by element.", "cos"};
    case UnaryFn::log1p: return {"log(1 + x), right where x is small, element by element.", "log1p"};
    case UnaryFn::expm1: return {"exp(x) - 1, right where x is small, element by element.", "expm1"};
    case UnaryFn::erf: return {"The error function of x, element by element.", "erf"};
    case UnaryFn::erf_inv: return {"The number whose error function is x, element by element.", "erf_inv"};
    case UnaryFn::xla_erf_inv:
      return {"erf_inv with XLA's formula and errors, so that random numbers are those of JAX.",
              "normal, truncated_normal"};
    case UnaryFn::exp2: return {"2 to the power of x, element by element.", "exp2"};
    case UnaryFn::log2: return {"The logarithm of x to the base 2, element by element.", "log2"};
    case UnaryFn::log10: return {"The logarithm of x to the base 10, element by element.", "log10"};
    case UnaryFn::tan: return {"The tangent of x, element by element.", "tan"};
    case UnaryFn::asin:
      return {"The angle between -pi/2 and pi/2 whose sine is x, element by element.", "asin"};
    case UnaryFn::acos: return {"The angle between 0 and pi whose cosine is x, element by element.", "acos"};
    case UnaryFn::atan:
      return {"The angle between -pi/2 and pi/2 whose tangent is x, element by element.", "atan"};
    case UnaryFn::sinh: return {"The hyperbolic sine of x, element by element.", "sinh"};
    case UnaryFn::cosh: return {"The hyperbolic cosine of x, element by element.", "cosh"};
    case UnaryFn::asinh: return {"The inverse of sinh, element by element.", "asinh"};
    case UnaryFn::acosh: return {"The inverse of cosh, element by element.", "acosh"};
    case UnaryFn::atanh: return {"The inverse of tanh, element by element.", "atanh"};
    case UnaryFn::cbrt: return {"The third root of x, also of a negative one, element by element.", "cbrt"};
    case UnaryFn::erfc: return {"1 - erf(x), right where erf(x) is near 1, element by element.", "erfc"};
    case UnaryFn::lgamma: return {"log(|gamma(x)|), element by element.", "lgamma"};
    case UnaryFn::digamma: return {"The derivative of lgamma, element by element.", "digamma"};
    case UnaryFn::trigamma: return {"The second derivative of lgamma, element by element.", "trigamma"};
    case UnaryFn::popcount: return {"How many bits of x are 1, element by element.", "popcount"};
    case UnaryFn::count_leading_zeros:
      return {"How many bits of x are above its highest 1, element by element.", "count_leading_zeros"};
    case UnaryFn::round:
      return {"The nearest whole number, of two the even one, element by element.", "round"};
    case UnaryFn::floor:
      return {"The largest whole number that is not above x, element by element.", "floor"};
    case UnaryFn::ceil: return {"The smallest whole number that is not below x, element by element.", "ceil"};
    case UnaryFn::is_finite: return {"True where x is neither infinite nor NaN.", "is_finite"};
    case UnaryFn::logical_not: return {"Not x, of bool, or of the bits of an integer.", "logical_not, ~x"};
    case UnaryFn::real: return {"The real part of x, element by element.", "real"};
    case UnaryFn::imag: return {"The imaginary part of x, element by element.", "imag"};
  }
  return {};
}

std::span<const UnaryFn> all_unary_functions() {
  using enum UnaryFn;
  static constexpr UnaryFn all[] = {neg,         exp,    log,     tanh,     sqrt,        rsqrt,
                                    logistic,    abs,    sign,    sin,      cos,         log1p,
                                    expm1,       erf,    round,   floor,    ceil,        is_finite,
                                    logical_not, real,   imag,    erf_inv,  xla_erf_inv, exp2,
                                    log2,        log10,  tan,     asin,     acos,        atan,
                                    sinh,        cosh,   asinh,   acosh,    atanh,       cbrt,
                                    erfc,        lgamma, digamma, trigamma, popcount,    count_leading_zeros};
  return all;
}

}  // namespace tutti
