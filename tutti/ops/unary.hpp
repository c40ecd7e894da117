// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The functions of one operand, element by element; each is printed under its own name. neg real and imag
/// are linear.
/// x: [..] -> [..], the same type; of is_finite bool; of a complex number abs, real and imag are real. neg,
/// abs and sign take all numbers, "not" integers and bool, popcount and count_leading_zeros integers, real
/// and imag complex numbers, the others floats, and of them exp, log, tanh, sqrt, rsqrt, logistic, sin, cos,
/// log1p, expm1, tan, sinh, cosh and the inverses of these three complex numbers. docs/accuracy.md has the
/// errors.
/// Source: StableHLO negate, exponential, log, tanh, sqrt, rsqrt, logistic, abs, sign, sine, cosine, tan,
/// log_plus_one, exponential_minus_one, cbrt, round_nearest_even, floor, ceil, is_finite, not, popcnt,
/// count_leading_zeros, real, imag; CHLO erf, erf_inv, erfc, asin, acos, atan, sinh, cosh, asinh, acosh,
/// atanh, lgamma, digamma, polygamma; jax.lax.
struct Unary {
  UnaryFn fn;

  std::string_view name() const { return ops::name(fn); }
  About about() const;
  Mixing mixing() const;
  Parameters parameters() const { return {}; }  // the name says it
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  std::string_view refusal(Rule rule) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Unary&) const = default;
};
static_assert(complete<Unary>());

}  // namespace tutti::ops

namespace tutti {

/// -x. Each function of one operand throws T007 for a dtype it is not defined for, T004 (all but -) for an
/// unreduced sum.
Array operator-(const Operand& x);
/// e to the power of x.
Array exp(const Operand& x);
/// The natural logarithm; -infinity at 0, NaN below.
Array log(const Operand& x);
/// The hyperbolic tangent.
Array tanh(const Operand& x);
/// The square root; NaN below 0.
Array sqrt(const Operand& x);
/// 1 / sqrt(x).
Array rsqrt(const Operand& x);
/// 1 / (1 + exp(-x)).
Array logistic(const Operand& x);
/// |x|; of a complex number its size, real. abs of the smallest integer is this integer. The derivative at 0
/// is 0.
Array abs(const Operand& x);
/// -1, 0 or 1; -0 and NaN stay. It has no tangent. For a complex number z: z / abs(z), or 0.
Array sign(const Operand& x);
/// The sine and the cosine of x, in radians.
Array sin(const Operand& x);
Array cos(const Operand& x);
/// log(1 + x) and exp(x) - 1, right where x is small.
Array log1p(const Operand& x);
Array expm1(const Operand& x);
/// The error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
Array erf(const Operand& x);
/// The inverse of erf: from [-1, 1], whose ends give infinities, NaN elsewhere. By the polynomials that XLA
/// uses.
/// Source: Giles, Approximating the erfinv function, GPU Computing Gems 2, 2011.
Array erf_inv(const Operand& x);
/// 1 - erf(x), right where that is small.
Array erfc(const Operand& x);
/// 2 to the power of x; the logarithms to the bases 2 and 10. Whole powers are exact.
Array exp2(const Operand& x);
Array log2(const Operand& x);
Array log10(const Operand& x);
/// The tangent of x, in radians.
Array tan(const Operand& x);
/// numpy.arcsin, arccos, NaN outside of [-1, 1]; numpy.arctan.
Array asin(const Operand& x);
Array acos(const Operand& x);
Array atan(const Operand& x);
/// The hyperbolic sine and cosine.
Array sinh(const Operand& x);
Array cosh(const Operand& x);
/// numpy.arcsinh, arccosh (NaN below 1), arctanh (NaN outside of [-1, 1]).
Array asinh(const Operand& x);
Array acosh(const Operand& x);
Array atanh(const Operand& x);
/// The third root, also of negative numbers.
Array cbrt(const Operand& x);
/// jax.scipy.special.gammaln: log(|gamma(x)|), infinite at 0, -1, -2, ..
Array lgamma(const Operand& x);
/// The first and second derivative of lgamma. At 0, -1, -2, .. NaN and inf. The derivative of trigamma is
/// refused (T010).
Array digamma(const Operand& x);
Array trigamma(const Operand& x);
/// To the nearest whole number, of two to the even one (numpy.round). round, floor and ceil have no tangent.
Array round(const Operand& x);
/// The largest whole number that is not above x, and the smallest that is not below it. No tangent.
Array floor(const Operand& x);
Array ceil(const Operand& x);
/// Bool: neither infinite nor NaN.
Array is_finite(const Operand& x);
/// Inverts a bool, or the bits of an integer.
Array logical_not(const Operand& x);
Array operator~(const Operand& x);
/// How many bits of an integer are 1, and how many are above its highest 1, as an integer of the same dtype.
/// No tangent.
Array popcount(const Operand& x);
Array count_leading_zeros(const Operand& x);
/// The parts of complex numbers.
Array real(const Operand& x);
Array imag(const Operand& x);

}  // namespace tutti
