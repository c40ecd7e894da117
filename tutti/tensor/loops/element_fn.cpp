// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/element_fn.hpp"

#include <array>

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

// Rates: bench/kernels, 256 elements: add 13; exp and log 2.4, logistic 1.9, tanh 1.6; 2026-11-23. Others
// have the rate of the function that they are computed like; those of erf, pow and atan2 are chosen.
// clang-format off
constexpr auto unary_facts = [] {
  using enum UnaryFn;
  using enum DTypes;
  using enum UnaryFacts::Linear;
  return std::to_array<UnaryFacts>({
    {neg, "neg", "stablehlo.negate", numbers, yes, 12, {-2, 2},
     "-x, element by element.", "-x"},
    {exp, "exp", "stablehlo.exponential", floats_and_complex, no, 3, {-2, 2},
     "e to the power of x, element by element.", "exp"},
    {log, "log", "stablehlo.log", floats_and_complex, no, 3, {0.2, 3},
     "The natural logarithm of x, element by element.", "log"},
    {tanh, "tanh", "stablehlo.tanh", floats_and_complex, no, 3, {-2, 2},
     "The hyperbolic tangent of x, element by element.", "tanh"},
    {sqrt, "sqrt", "stablehlo.sqrt", floats_and_complex, no, 3, {0.2, 3},
     "The square root of x, element by element.", "sqrt"},
    {rsqrt, "rsqrt", "stablehlo.rsqrt", floats_and_complex, no, 3, {0.2, 3},
     "1 / sqrt(x), element by element.", "rsqrt"},
    {logistic, "logistic", "stablehlo.logistic", floats_and_complex, no, 3, {-2, 2},
     "1 / (1 + exp(-x)), element by element.", "logistic"},
    {abs, "abs", "stablehlo.abs", numbers, no, 12, {-2, -0.2},
     "x without its sign, element by element.", "abs"},
    {sign, "sign", "stablehlo.sign", numbers, no, 12, {-2, -0.2},
     "-1, 0 or 1; of -0 and NaN itself; element by element.", "sign"},
    {sin, "sin", "stablehlo.sine", floats_and_complex, no, 3, {-2, 2},
     "The sine of x, element by element.", "sin"},
    {cos, "cos", "stablehlo.cosine", floats_and_complex, no, 3, {-2, 2},
     "The cosine of x, element by element.", "cos"},
    {log1p, "log1p", "stablehlo.log_plus_one", floats_and_complex, no, 3, {-0.6, 2},
     "log(1 + x), right where x is small, element by element.", "log1p"},
    {expm1, "expm1", "stablehlo.exponential_minus_one", floats_and_complex, no, 3, {-2, 2},
     "exp(x) - 1, right where x is small, element by element.", "expm1"},
    {erf, "erf", "chlo.erf", floats, no, 3, {-2, 2},
     "The error function of x, element by element.", "erf"},
    {round, "round", "stablehlo.round_nearest_even", floats, no, 12, {1.6, 2.4},
     "The nearest whole number, of two the even one, element by element.", "round"},
    {floor, "floor", "stablehlo.floor", floats, no, 12, {1.1, 1.9},
     "The largest whole number that is not above x, element by element.", "floor"},
    {ceil, "ceil", "stablehlo.ceil", floats, no, 12, {1.1, 1.9},
     "The smallest whole number that is not below x, element by element.", "ceil"},
    {is_finite, "is_finite", "stablehlo.is_finite", floats, no, 12, {-2, 2},
     "True where x is neither infinite nor NaN.", "is_finite"},
    {logical_not, "not", "stablehlo.not", bits, no, 12, {-99, 99},
     "Not x, of bool, or of the bits of an integer.", "logical_not, ~x"},
    {real, "real", "stablehlo.real", complex, yes, 12, {-2, 2},
     "The real part of x, element by element.", "real"},
    {imag, "imag", "stablehlo.imag", complex, yes, 12, {-2, 2},
     "The imaginary part of x, element by element.", "imag"},
    {erf_inv, "erf_inv", "chlo.erf_inv", floats, no, 0.2, {-0.9, 0.9},
     "The number whose error function is x, element by element.", "erf_inv"},
    {xla_erf_inv, "xla_erf_inv", "chlo.erf_inv", floats, no, 3, {-0.9, 0.9},
     "erf_inv with XLA's formula and errors, so that random numbers are those of JAX.",
     "normal, truncated_normal"},
    {exp2, "exp2", "", floats, no, 0.7, {-2, 2},
     "2 to the power of x, element by element.", "exp2"},
    {log2, "log2", "", floats, no, 0.7, {0.2, 3},
     "The logarithm of x to the base 2, element by element.", "log2"},
    {log10, "log10", "", floats, no, 0.7, {0.2, 3},
     "The logarithm of x to the base 10, element by element.", "log10"},
    {tan, "tan", "stablehlo.tan", floats_and_complex, no, 0.7, {-1.2, 1.2},
     "The tangent of x, element by element.", "tan"},
    {asin, "asin", "chlo.asin", floats_and_complex, no, 0.7, {-0.8, 0.8},
     "The angle between -pi/2 and pi/2 whose sine is x, element by element.", "asin"},
    {acos, "acos", "chlo.acos", floats_and_complex, no, 0.7, {-0.8, 0.8},
     "The angle between 0 and pi whose cosine is x, element by element.", "acos"},
    {atan, "atan", "chlo.atan", floats_and_complex, no, 0.7, {-2, 2},
     "The angle between -pi/2 and pi/2 whose tangent is x, element by element.", "atan"},
    {sinh, "sinh", "chlo.sinh", floats_and_complex, no, 0.7, {-2, 2},
     "The hyperbolic sine of x, element by element.", "sinh"},
    {cosh, "cosh", "chlo.cosh", floats_and_complex, no, 0.7, {-2, 2},
     "The hyperbolic cosine of x, element by element.", "cosh"},
    {asinh, "asinh", "chlo.asinh", floats_and_complex, no, 0.7, {-2, 2},
     "The inverse of sinh, element by element.", "asinh"},
    {acosh, "acosh", "chlo.acosh", floats_and_complex, no, 0.7, {1.2, 3},
     "The inverse of cosh, element by element.", "acosh"},
    {atanh, "atanh", "chlo.atanh", floats_and_complex, no, 0.7, {-0.8, 0.8},
     "The inverse of tanh, element by element.", "atanh"},
    {cbrt, "cbrt", "stablehlo.cbrt", floats, no, 0.7, {0.2, 3},
     "The third root of x, also of a negative one, element by element.", "cbrt"},
    {erfc, "erfc", "chlo.erfc", floats, no, 0.7, {-2, 2},
     "1 - erf(x), right where erf(x) is near 1, element by element.", "erfc"},
    {lgamma, "lgamma", "chlo.lgamma", floats, no, 0.7, {2.2, 6},
     "log(|gamma(x)|), element by element.", "lgamma"},
    {digamma, "digamma", "chlo.digamma", floats, no, 0.05, {2, 6},
     "The derivative of lgamma, element by element.", "digamma"},
    {trigamma, "trigamma", "", floats, no, 0.05, {0.5, 4},
     "The second derivative of lgamma, element by element.", "trigamma"},
    {popcount, "popcount", "stablehlo.popcnt", integers, no, 12, {-99, 99},
     "How many bits of x are 1, element by element.", "popcount"},
    {count_leading_zeros, "count_leading_zeros", "stablehlo.count_leading_zeros", integers, no, 12, {-99, 99},
     "How many bits of x are above its highest 1, element by element.", "count_leading_zeros"},
  });
}();

constexpr auto binary_facts = [] {
  using enum BinaryFn;
  using D = DTypes;
  using enum BinaryFacts::Linear;
  return std::to_array<BinaryFacts>({
    {add, "add", "stablehlo.add", D::all, in_both, 12, {-2, 2}, {-2, 2},
     "x + y, element by element; of bool: or.", "x + y"},
    {sub, "sub", "stablehlo.subtract", D::numbers, in_both, 12, {-2, 2}, {-2, 2},
     "x - y, element by element.", "x - y"},
    {mul, "mul", "stablehlo.multiply", D::all, in_each, 12, {-2, 2}, {-2, 2},
     "x * y, element by element; of bool: and.", "x * y, square"},
    {div, "div", "stablehlo.divide", D::numbers, in_each, 12, {-2, 2}, {0.5, 2},
     "x / y, element by element; of integers cut towards 0.", "x / y"},
    {pow, "pow", "stablehlo.power", D::numbers, no, 0.5, {0.2, 3}, {-2, 2},
     "x to the power of y, element by element.", "pow"},
    {maximum, "maximum", "stablehlo.maximum", D::not_complex, no, 12, {-2, 2}, {-2, 2},
     "The larger of x and y, element by element; NaN if one is.", "maximum"},
    {minimum, "minimum", "stablehlo.minimum", D::not_complex, no, 12, {-2, 2}, {-2, 2},
     "The smaller of x and y, element by element; NaN if one is.", "minimum"},
    {rem, "rem", "stablehlo.remainder", D::reals, no, 12, {-2.5, -2.2}, {0.9, 1},
     "What is left of x divided by y, with the sign of x, element by element.", "rem, x % y"},
    {logical_and, "and", "stablehlo.and", D::bits, no, 12, {-2, 2}, {-2, 2},
     "x and y, of bool, or bit by bit of integers.", "logical_and, x & y"},
    {logical_or, "or", "stablehlo.or", D::bits, no, 12, {-2, 2}, {-2, 2},
     "x or y, of bool, or bit by bit of integers.", "logical_or, x | y"},
    {logical_xor, "xor", "stablehlo.xor", D::bits, no, 12, {-2, 2}, {-2, 2},
     "Either x or y, of bool, or bit by bit of integers.", "logical_xor, x ^ y"},
    {atan2, "atan2", "stablehlo.atan2", D::floats, no, 0.5, {-2, 2}, {0.5, 2},
     "The angle of the point (y, x), element by element.", "atan2"},
    {shift_left, "shift_left", "stablehlo.shift_left", D::integers, no, 12, {-2, 2}, {-2, 2},
     "The bits of x moved up by y, element by element.", "shift_left"},
    {shift_right_arithmetic, "shift_right_arithmetic", "stablehlo.shift_right_arithmetic",
     D::integers, no, 12, {-2, 2}, {-2, 2},
     "The bits of x moved down by y, with copies of the sign, element by element.", "shift_right_arithmetic"},
    {shift_right_logical, "shift_right_logical", "stablehlo.shift_right_logical", D::integers, no, 12,
     {-2, 2}, {-2, 2},
     "The bits of x moved down by y, with zeros, element by element.", "shift_right_logical"},
    {complex, "complex", "stablehlo.complex", D::parts, in_both, 12, {-2, 2}, {-2, 2},
     "The complex number x + iy, element by element.", "complex, conj"},
  });
}();
// clang-format on

// A function that has no row, or no place of its own, does not compile.
template <class Facts>
constexpr bool are_in_order(const Facts& facts) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (static_cast<std::size_t>(facts[i].fn) != i) return false;
  return true;
}
static_assert(are_in_order(unary_facts) && are_in_order(binary_facts));
static_assert(unary_facts.back().fn == UnaryFn::count_leading_zeros);
static_assert(binary_facts.back().fn == BinaryFn::complex);

}  // namespace

bool ops::contains(DTypes set, DType dtype) {
  switch (set) {
    case DTypes::all: return true;
    case DTypes::numbers: return dtype != DType::boolean;
    case DTypes::not_complex: return !is_complex(dtype);
    case DTypes::reals: return dtype != DType::boolean && !is_complex(dtype);
    case DTypes::bits: return !is_inexact(dtype);
    case DTypes::integers: return is_integer(dtype);
    case DTypes::floats: return is_float(dtype);
    case DTypes::floats_and_complex: return is_inexact(dtype);
    case DTypes::complex: return is_complex(dtype);
    case DTypes::parts: return dtype == DType::f32 || dtype == DType::f64;
  }
  return false;
}

const ops::UnaryFacts& ops::facts_of(UnaryFn fn) { return unary_facts[static_cast<std::size_t>(fn)]; }
const ops::BinaryFacts& ops::facts_of(BinaryFn fn) { return binary_facts[static_cast<std::size_t>(fn)]; }
std::span<const ops::UnaryFacts> ops::all_unary_facts() { return unary_facts; }
std::span<const ops::BinaryFacts> ops::all_binary_facts() { return binary_facts; }

std::string_view ops::name(UnaryFn fn) { return facts_of(fn).name; }
std::string_view ops::name(BinaryFn fn) { return facts_of(fn).name; }

std::string_view ops::name(CompareDirection direction) {
  switch (direction) {
    case CompareDirection::eq: return "eq";
    case CompareDirection::ne: return "ne";
    case CompareDirection::lt: return "lt";
    case CompareDirection::le: return "le";
    case CompareDirection::gt: return "gt";
    case CompareDirection::ge: return "ge";
  }
  return {};
}

std::string_view ops::name(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum: return "sum";
    case ReduceKind::prod: return "prod";
    case ReduceKind::max: return "max";
    case ReduceKind::min: return "min";
    case ReduceKind::logical_and: return "and";
    case ReduceKind::logical_or: return "or";
  }
  return {};
}

}  // namespace tutti
