// SPDX-License-Identifier: Apache-2.0
#include "tests/support/exact_functions.hpp"

#include <cmath>
#include <limits>

namespace tutti {
namespace {

constexpr long double two_over_sqrt_pi = 1.128379167095512573896158903121545172L;

/// Newton's method on log(erfc(y)) = log(1 - x), which is nearly a parabola, from Winitzki's approximation.
long double erf_inv_of_large(long double x) {
  const long double rest = std::log1p(-x), near = std::log1p(-x * x), a = 0.147L;
  const long double b = 2 / (3.14159265358979323846L * a) + near / 2;
  long double y = std::sqrt(std::sqrt(b * b - near / a) - b);
  for (int i = 0; i < 6; ++i)
    y += (std::log(std::erfc(y)) - rest) * std::erfc(y) / (two_over_sqrt_pi * std::exp(-y * y));
  return y;
}

long double erf_inv(long double x) {
  const long double size = std::fabs(x);
  if (x == 0 || std::isnan(x)) return x;
  if (size >= 1) return size == 1 ? std::copysign(std::numeric_limits<long double>::infinity(), x) : NAN;
  if (size > 0.5L) return std::copysign(erf_inv_of_large(size), x);
  long double y = size / two_over_sqrt_pi;
  for (int i = 0; i < 6; ++i) y -= (std::erf(y) - size) / (two_over_sqrt_pi * std::exp(-y * y));
  return std::copysign(y, x);
}

constexpr long double pi = 3.14159265358979323846264338327950288L;
/// From here on the series below leave less than 2^-64.
constexpr long double is_large_from = 30;

/// The sum of B_2k / (2k)^power x^2k over k = 1 .. 10, for power 0 and 1.
long double sum_of_bernoulli(long double square, int power) {
  constexpr long double numbers[] = {1 / 6.L,       -1 / 30.L, 1 / 42.L,      -1 / 30.L,     5 / 66.L,
                                     -691 / 2730.L, 7 / 6.L,   -3617 / 510.L, 43867 / 798.L, -174611 / 330.L};
  long double sum = 0;
  for (int k = 10; k > 0; --k) sum = (sum + numbers[k - 1] / (power == 0 ? 1 : 2 * k)) * square;
  return sum;
}

bool is_pole(long double x) { return x <= 0 && x == std::floor(x); }
/// x minus the nearest whole number.
long double off_whole(long double x) { return x - std::floor(x + 0.5L); }

long double digamma(long double x) {
  if (is_pole(x)) return NAN;
  if (x < 0) return digamma(1 - x) - pi / std::tan(pi * off_whole(x));
  long double below = 0;
  for (; x < is_large_from; x += 1) below += 1 / x;
  return std::log(x) - 1 / (2 * x) - sum_of_bernoulli(1 / (x * x), 1) - below;
}

long double trigamma(long double x) {
  if (std::isinf(x)) return x > 0 ? 0 : NAN;
  if (is_pole(x)) return std::numeric_limits<long double>::infinity();
  if (x < 0) {
    const long double ratio = pi / std::sin(pi * off_whole(x));
    return ratio * ratio - trigamma(1 - x);
  }
  long double below = 0;
  for (; x < is_large_from; x += 1) below += 1 / (x * x);
  return (1 + 1 / (2 * x) + sum_of_bernoulli(1 / (x * x), 0)) / x + below;
}

}  // namespace

long double exact_value(UnaryFn fn, long double x) {
  switch (fn) {
    case UnaryFn::exp: return std::exp(x);
    case UnaryFn::log: return std::log(x);
    case UnaryFn::tanh: return std::tanh(x);
    case UnaryFn::sqrt: return std::sqrt(x);
    case UnaryFn::rsqrt: return 1 / std::sqrt(x);
    case UnaryFn::logistic: return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
    case UnaryFn::sin: return std::sin(x);
    case UnaryFn::cos: return std::cos(x);
    case UnaryFn::log1p: return std::log1p(x);
    case UnaryFn::expm1: return std::expm1(x);
    case UnaryFn::erf: return std::erf(x);
    case UnaryFn::erf_inv: return erf_inv(x);
    case UnaryFn::exp2: return std::exp2(x);
    case UnaryFn::log2: return std::log2(x);
    case UnaryFn::log10: return std::log10(x);
    case UnaryFn::tan: return std::tan(x);
    case UnaryFn::asin: return std::asin(x);
    case UnaryFn::acos: return std::acos(x);
    case UnaryFn::atan: return std::atan(x);
    case UnaryFn::sinh: return std::sinh(x);
    case UnaryFn::cosh: return std::cosh(x);
    case UnaryFn::asinh: return std::asinh(x);
    case UnaryFn::acosh: return std::acosh(x);
    case UnaryFn::atanh: return std::atanh(x);
    case UnaryFn::cbrt: return std::cbrt(x);
    case UnaryFn::erfc: return std::erfc(x);
    case UnaryFn::lgamma: return std::lgamma(x);
    case UnaryFn::digamma: return digamma(x);
    case UnaryFn::trigamma: return trigamma(x);
    case UnaryFn::neg:
    case UnaryFn::abs:
    case UnaryFn::sign:
    case UnaryFn::round:
    case UnaryFn::floor:
    case UnaryFn::ceil:
    case UnaryFn::is_finite:
    case UnaryFn::logical_not:
    case UnaryFn::real:
    case UnaryFn::imag:
    case UnaryFn::popcount:
    case UnaryFn::count_leading_zeros: break;
  }
  return 0;
}

}  // namespace tutti
