// SPDX-License-Identifier: Apache-2.0
// The element functions: scalar functions that are applied to every element of an array. Edge cases (DESIGN
// of the arithmetic):
// - Integers wrap. x/0 = all ones, MIN/-1 = MIN, x%0 = x, MIN%-1 = 0. Unsigned: abs is x itself, neg wraps.
// - A shift by less than 0, or by the width or more, gives 0; shift_right_arithmetic gives the sign, 0 or -1.
// - max and min propagate NaN and order -0 < +0. float -> int saturates, and NaN -> 0.
// - f16 and bf16 are computed in f32 and rounded once. abs of a complex number is real.
#pragma once

#include <cstdint>
#include <string_view>

namespace tutti::ops {

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
  lgamma,    // log(|gamma(x)|); inf at the poles 0, -1, ..
  digamma,   // the derivative of lgamma; NaN at its poles
  trigamma,  // the derivative of digamma; inf at its poles
  round,     // to the nearest whole number, ties to even
  floor,
  ceil,
  is_finite,    // -> bool
  logical_not,  // of bool; of integers bit by bit
  real,         // of complex numbers
  imag,
  popcount,            // of integers: how many bits are 1
  count_leading_zeros  // of integers: how many bits are above the highest 1
};
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
enum class CompareDirection : std::uint8_t { eq, ne, lt, le, gt, ge };
enum class ReduceKind : std::uint8_t { sum, prod, max, min, logical_and, logical_or };

/// The function's usual name: "exp", "add", "and", "lt", "sum".
std::string_view name(UnaryFn fn);
std::string_view name(BinaryFn fn);
std::string_view name(CompareDirection direction);
std::string_view name(ReduceKind kind);

}  // namespace tutti::ops
