// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/gamma.hpp"
#include "tutti/base/inside.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

namespace tutti {
namespace {

constexpr double pi = 3.14159265358979323846, rest_of_pi = 1.2246467991473532e-16;
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
/// From here on the asymptotic series below are exact.
constexpr double is_large_from = 10;

template <std::size_t n>
double polynomial(double x, const double (&c)[n]) {
  double y = c[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) y = y * x + c[i];
  return y;
}

bool is_pole(double x) { return x <= 0 && x == std::floor(x); }

/// x minus the nearest whole number: in [-1/2, 1/2], exact.
double off_whole(double x) { return x - std::rint(x); }

/// The angle pi x of the fraction x: rounded, and the rounding error.
struct Angle {
  explicit Angle(double x) : rounded(pi * x), rest(std::fma(pi, x, -rounded) + rest_of_pi * x) {}
  double rounded, rest;
};

/// log(y) + 1/(2y) - the sum of B_2k / (2k y^2k), with y = x - 1.
double digamma_of_large(double x) {
  constexpr double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
  const double y = x - 1, square = 1 / (y * y);
  return std::log(y) + (0.5 / y - square * polynomial(square, series));
}

/// On [1, 2]. The only positive root is split in three, so that x - root has a small relative error.
/// Source: the form and the minimax fit are those of J. Maddock, Boost.Math, digamma.
double digamma_between_1_and_2(double x) {
  constexpr double root[] = {1569415565.0 / 1073741824, 381566830.0 / 1073741824 / 1073741824,
                             0.9016312093258695918615325266959189453125e-19};
  constexpr double y = 0.99558162689208984375;
  constexpr double over[] = {0.25479851061131551,  -0.32555031186804491,  -0.65031853770896507,
                             -0.28919126444774784, -0.045251321448739056, -0.0020713321167745952};
  constexpr double under[] = {1.0,
                              2.0767117023730469,
                              1.4606242909763515,
                              0.43593529692665969,
                              0.054151797245674225,
                              0.0021284987017821144,
                              -0.55789841321675513e-6};
  const double away = ((x - root[0]) - root[1]) - root[2];
  return away * y + away * (polynomial(x - 1, over) / polynomial(x - 1, under));
}

double digamma_of_positive(double x) {
  double sum = 0;
  if (x >= is_large_from) return digamma_of_large(x);
  while (x > 2) {
    x -= 1;
    sum += 1 / x;
  }
  if (x < 1) {
    sum = -1 / x;
    x += 1;
  }
  return sum + digamma_between_1_and_2(x);
}

/// (pi / sin(angle))^2. The square of the sine keeps its rounding error, so that the sine's own error is all
/// that counts twice.
double square_of_pi_over_sine(const Angle& angle) {
  constexpr double square_of_pi = 9.8696044010893580, rest_of_square_of_pi = 6.265295508739711e-16;
  const double sine = std::sin(angle.rounded), rest = angle.rest * std::cos(angle.rounded);
  const double square = sine * sine, below = std::fma(sine, sine, -square) + 2 * sine * rest;
  const double ratio = square_of_pi / square;
  const double left = std::fma(-ratio, square, square_of_pi) + (rest_of_square_of_pi - ratio * below);
  return ratio + left / square;
}

/// 1/y + 1/(2 y^2) + the sum of B_2k / y^(2k+1).
double trigamma_of_large(double y) {
  constexpr double series[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                               5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};
  const double one = 1 / y, square = one * one;
  return one + (square / 2 + one * square * polynomial(square, series));
}

/// x, not too far below 0, is moved up step by step. The terms differ in size and order, so their sum keeps
/// its rounding errors apart.
double trigamma_by_steps(double x) {
  const int steps = x < is_large_from ? static_cast<int>(std::ceil(is_large_from - x)) : 0;
  double sum = trigamma_of_large(x + steps), rest = 0;
  for (int k = 0; k < steps; ++k) {
    const double at = x + k, term = 1 / (at * at), next = sum + term;
    rest += sum > term ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  return std::isfinite(sum) ? sum + rest : sum;
}

}  // namespace

double digamma(double x) {
  if (is_pole(x)) return nan;
  if (!(x < 0)) return digamma_of_positive(x);
  if (x > -1) return digamma_of_positive(x + 1) - 1 / x;
  const Angle angle(off_whole(x));
  const double tangent = std::tan(angle.rounded), cotangent = 1 / tangent;
  const double rest = pi * angle.rest * (1 + cotangent * cotangent) - rest_of_pi * cotangent;
  return (digamma_of_positive(1 - x) - pi / tangent) + rest;
}

double trigamma(double x) {
  constexpr double is_far_from = -60;
  if (x == -infinity) return nan;
  if (is_pole(x)) return infinity;
  if (!(x < is_far_from)) return trigamma_by_steps(x);
  return square_of_pi_over_sine(Angle(off_whole(x))) - trigamma_by_steps(1 - x);
}

float digamma(float x) { return static_cast<float>(digamma(static_cast<double>(x))); }
float trigamma(float x) { return static_cast<float>(trigamma(static_cast<double>(x))); }

}  // namespace tutti
