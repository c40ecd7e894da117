// SPDX-License-Identifier: Apache-2.0
// The element functions: scalar functions that are applied to every element of an array. Edge cases (DESIGN
// of the arithmetic):
// - Integers wrap. x/0 = all ones, MIN/-1 = MIN, x%0 = x, MIN%-1 = 0. Unsigned: abs is x itself, neg wraps.
// - A shift by less than 0, or by the width or more, gives 0; shift_right_arithmetic gives the sign, 0 or -1.
// - max and min propagate NaN and order -0 < +0. float -> int saturates, and NaN -> 0.
// - f16 and bf16 are computed in f32 and rounded once. abs of a complex number is real.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tutti/types/dtype.hpp"

namespace tutti::ops {

/// The functions of one operand, element by element.
enum class UnaryFn : std::uint8_t {
  neg,
  exp,
  log,
  tanh,
  sqrt,
  rsqrt,
  logistic,
  abs,
  sign,
  sin,
  cos,
  log1p,
  expm1,
  erf,
  round,  // to the nearest whole number, ties to even
  floor,
  ceil,
  is_finite,    // -> bool
  logical_not,  // of bool; of integers bit by bit
  real,         // of complex numbers
  imag,
  erf_inv,      // the inverse of erf, on [-1, 1]
  xla_erf_inv,  // erf_inv as XLA computes it, with its errors
  exp2,
  log2,
  log10,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
  cbrt,
  erfc,
  lgamma,              // log(|gamma(x)|); inf at the poles 0, -1, ..
  digamma,             // the derivative of lgamma; NaN at its poles
  trigamma,            // the derivative of digamma; inf at its poles
  popcount,            // of integers: how many bits are 1
  count_leading_zeros  // of integers: how many bits are above the highest 1
};
/// The functions of two operands, element by element.
enum class BinaryFn : std::uint8_t {
  add,
  sub,
  mul,
  div,
  pow,
  maximum,
  minimum,
  rem,
  logical_and,
  logical_or,
  logical_xor,
  atan2,
  shift_left,
  shift_right_arithmetic,
  shift_right_logical,
  complex  // from a real and an imaginary part
};
/// The comparisons: ==, !=, <, <=, > and >=.
enum class CompareDirection : std::uint8_t { eq, ne, lt, le, gt, ge };
/// The functions that reductions fold elements with.
enum class ReduceKind : std::uint8_t { sum, prod, max, min, logical_and, logical_or };

/// The dtypes that a function takes. numbers: all except bool. reals: numbers that are not complex. bits:
/// bool and integers. parts: f32 and f64.
enum class DTypes : std::uint8_t {
  all,
  numbers,
  not_complex,
  reals,
  bits,
  integers,
  floats,
  floats_and_complex,
  complex,
  parts
};
/// True if `dtype` is one of the set.
bool contains(DTypes set, DType dtype);

/// The range of an example's elements: in the domain of the function, away from kinks.
struct ExampleRange {
  double low = -2, high = 2;
};

/// All facts about a function of one operand, except its derivative (ops/unary.cpp) and its kernels.
struct UnaryFacts {
  /// Whether the function is linear.
  enum class Linear : std::uint8_t { no, yes };
  UnaryFn fn;
  std::string_view name;       // "exp"
  std::string_view stablehlo;  // the op of StableHLO or CHLO that computes it; empty: it takes several
  DTypes dtypes;
  Linear linear;
  double rate;  // elements of f32 per nanosecond
  ExampleRange range;
  std::string_view summary;     // a sentence for users
  std::string_view front_ends;  // the functions that record it: "logical_not, ~x"
};
/// All facts about a function of two operands, except its derivatives (ops/binary.cpp) and its kernels.
struct BinaryFacts {
  /// in_both: in both operands together, as a sum. in_each: in one operand at a time, as a product.
  enum class Linear : std::uint8_t { no, in_both, in_each };
  BinaryFn fn;
  std::string_view name;
  std::string_view stablehlo;
  DTypes dtypes;
  Linear linear;
  double rate;
  ExampleRange x, y;  // of floats
  std::string_view summary;
  std::string_view front_ends;
};
/// The facts about a function.
const UnaryFacts& facts_of(UnaryFn fn);
const BinaryFacts& facts_of(BinaryFn fn);
/// All functions, in the order of their enumerators, in which `tutti rules` lists them.
std::span<const UnaryFacts> all_unary_facts();
std::span<const BinaryFacts> all_binary_facts();

/// The function's usual name: "exp", "add", "and", "lt", "sum".
std::string_view name(UnaryFn fn);
std::string_view name(BinaryFn fn);
std::string_view name(CompareDirection direction);
std::string_view name(ReduceKind kind);

}  // namespace tutti::ops
