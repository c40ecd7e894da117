// SPDX-License-Identifier: Apache-2.0
#include "tests/support/exact_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#ifdef TUTTI_HAS_QUADMATH
#include <quadmath.h>
#endif

namespace tutti {
namespace {

using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atanh, std::cbrt, std::copysign, std::cos,
    std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::fabs, std::floor, std::isinf,
    std::isnan, std::lgamma, std::log, std::log10, std::log1p, std::log2, std::sin, std::sinh, std::sqrt,
    std::tan, std::tanh;

#ifdef TUTTI_HAS_QUADMATH
using Quad = __float128;
Quad acos(Quad x) { return acosq(x); }
Quad acosh(Quad x) { return acoshq(x); }
Quad asin(Quad x) { return asinq(x); }
Quad asinh(Quad x) { return asinhq(x); }
Quad atan(Quad x) { return atanq(x); }
Quad atanh(Quad x) { return atanhq(x); }
Quad cbrt(Quad x) { return cbrtq(x); }
Quad cos(Quad x) { return cosq(x); }
Quad cosh(Quad x) { return coshq(x); }
Quad erf(Quad x) { return erfq(x); }
Quad erfc(Quad x) { return erfcq(x); }
Quad exp(Quad x) { return expq(x); }
Quad exp2(Quad x) { return exp2q(x); }
Quad expm1(Quad x) { return expm1q(x); }
Quad fabs(Quad x) { return fabsq(x); }
Quad floor(Quad x) { return floorq(x); }
Quad lgamma(Quad x) { return lgammaq(x); }
Quad log(Quad x) { return logq(x); }
Quad log10(Quad x) { return log10q(x); }
Quad log1p(Quad x) { return log1pq(x); }
Quad log2(Quad x) { return log2q(x); }
Quad sin(Quad x) { return sinq(x); }
Quad sinh(Quad x) { return sinhq(x); }
Quad sqrt(Quad x) { return sqrtq(x); }
Quad tan(Quad x) { return tanq(x); }
Quad tanh(Quad x) { return tanhq(x); }
Quad copysign(Quad x, Quad sign) { return copysignq(x, sign); }
bool isinf(Quad x) { return isinfq(x) != 0; }
bool isnan(Quad x) { return isnanq(x) != 0; }
#endif

constexpr long double infinity = std::numeric_limits<long double>::infinity(),
                      nan = std::numeric_limits<long double>::quiet_NaN();

/// pi as a sum, for types with more digits than long double.
constexpr long double pi_high = 3.14159265358979323846264338327950288L,
                      pi_low = -5.01655761266833202355732708e-20L;
template <class T>
T pi() {
  return T(pi_high) + T(pi_low);
}

template <class T>
T two_over_sqrt_pi() {
  return 2 / sqrt(pi<T>());
}

/// Newton's method on log(erfc(y)) = log(1 - x), which is nearly a parabola, from Winitzki's approximation.
/// Each step doubles the digits, and so do those of erf_inv.
template <class T>
T erf_inv_of_large(T x) {
  const T rest = log1p(-x), near = log1p(-x * x), a = T(0.147);
  const T b = 2 / (pi<T>() * a) + near / 2;
  T y = sqrt(sqrt(b * b - near / a) - b);
  for (int i = 0; i < 4; ++i) y += (log(erfc(y)) - rest) * erfc(y) / (two_over_sqrt_pi<T>() * exp(-y * y));
  return y;
}

template <class T>
T erf_inv(T x) {
  const T size = fabs(x);
  if (x == 0 || isnan(x)) return x;
  if (size >= 1) return size == 1 ? copysign(T(infinity), x) : T(nan);
  if (size > T(0.5)) return copysign(erf_inv_of_large(size), x);
  T y = size / two_over_sqrt_pi<T>();
  for (int i = 0; i < 5; ++i) y -= (erf(y) - size) / (two_over_sqrt_pi<T>() * exp(-y * y));
  return copysign(y, x);
}

/// From here on the series below leave less than 2^-64.
constexpr int is_large_from = 30;

/// The sum of B_2k / (2k)^power x^2k over k = 1 .. 10, for power 0 and 1.
template <class T>
T sum_of_bernoulli(T square, int power) {
  constexpr int over[] = {1, -1, 1, -1, 5, -691, 7, -3617, 43867, -174611},
                under[] = {6, 30, 42, 30, 66, 2730, 6, 510, 798, 330};
  T sum = 0;
  for (int k = 10; k > 0; --k)
    sum = (sum + T(over[k - 1]) / (power == 0 ? under[k - 1] : 2 * k * under[k - 1])) * square;
  return sum;
}

template <class T>
bool is_pole(T x) {
  return x <= 0 && x == floor(x);
}
/// x minus the nearest whole number.
template <class T>
T off_whole(T x) {
  return x - floor(x + T(0.5));
}

template <class T>
T digamma(T x) {
  if (is_pole(x)) return T(nan);
  if (x < 0) return digamma(1 - x) - pi<T>() / tan(pi<T>() * off_whole(x));
  T below = 0;
  for (; x < is_large_from; x += 1) below += 1 / x;
  return log(x) - 1 / (2 * x) - sum_of_bernoulli(1 / (x * x), 1) - below;
}

template <class T>
T trigamma(T x) {
  if (isinf(x)) return x > 0 ? 0 : T(nan);
  if (is_pole(x)) return T(infinity);
  if (x < 0) {
    const T ratio = pi<T>() / sin(pi<T>() * off_whole(x));
    return ratio * ratio - trigamma(1 - x);
  }
  T below = 0;
  for (; x < is_large_from; x += 1) below += 1 / (x * x);
  return (1 + 1 / (2 * x) + sum_of_bernoulli(1 / (x * x), 0)) / x + below;
}

template <class T>
T value(UnaryFn fn, T x) {
  switch (fn) {
    case UnaryFn::exp: return exp(x);
    case UnaryFn::log: return log(x);
    case UnaryFn::tanh: return tanh(x);
    case UnaryFn::sqrt: return sqrt(x);
    case UnaryFn::rsqrt: return 1 / sqrt(x);
    case UnaryFn::logistic: return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
    case UnaryFn::sin: return sin(x);
    case UnaryFn::cos: return cos(x);
    case UnaryFn::log1p: return log1p(x);
    case UnaryFn::expm1: return expm1(x);
    case UnaryFn::erf: return erf(x);
    case UnaryFn::erf_inv:
    case UnaryFn::xla_erf_inv: return erf_inv(x);
    case UnaryFn::exp2: return exp2(x);
    case UnaryFn::log2: return log2(x);
    case UnaryFn::log10: return log10(x);
    case UnaryFn::tan: return tan(x);
    case UnaryFn::asin: return asin(x);
    case UnaryFn::acos: return acos(x);
    case UnaryFn::atan: return atan(x);
    case UnaryFn::sinh: return sinh(x);
    case UnaryFn::cosh: return cosh(x);
    case UnaryFn::asinh: return asinh(x);
    case UnaryFn::acosh: return acosh(x);
    case UnaryFn::atanh: return atanh(x);
    case UnaryFn::cbrt: return cbrt(x);
    case UnaryFn::erfc: return erfc(x);
    case UnaryFn::lgamma: return lgamma(x);
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

/// Functions that `value` makes of others.
constexpr UnaryFn not_in_libm[] = {UnaryFn::rsqrt,       UnaryFn::logistic, UnaryFn::erf_inv,
                                   UnaryFn::xla_erf_inv, UnaryFn::digamma,  UnaryFn::trigamma};

template <class T>
std::optional<T> by_libm(UnaryFn fn, T x) {
  if (std::ranges::find(not_in_libm, fn) != std::end(not_in_libm)) return std::nullopt;
  return value<T>(fn, x);
}

}  // namespace

std::optional<float> libm_value(UnaryFn fn, float x) { return by_libm(fn, x); }
std::optional<double> libm_value(UnaryFn fn, double x) { return by_libm(fn, x); }

double double_value(UnaryFn fn, double x) { return value<double>(fn, x); }

long double exact_value(UnaryFn fn, long double x) { return value<long double>(fn, x); }

long double quad_value(UnaryFn fn, long double x) {
#ifdef TUTTI_HAS_QUADMATH
  return static_cast<long double>(value<Quad>(fn, x));
#else
  return exact_value(fn, x);
#endif
}

}  // namespace tutti
