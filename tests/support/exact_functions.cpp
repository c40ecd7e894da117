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
    case UnaryFn::neg:
    case UnaryFn::abs:
    case UnaryFn::sign:
    case UnaryFn::round:
    case UnaryFn::floor:
    case UnaryFn::ceil:
    case UnaryFn::is_finite:
    case UnaryFn::logical_not:
    case UnaryFn::real:
    case UnaryFn::imag: break;
  }
  return 0;
}

}  // namespace tutti
