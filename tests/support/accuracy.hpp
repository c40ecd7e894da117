// SPDX-License-Identifier: Apache-2.0
// Errors of the element functions in units in the last place, and the points where they are measured.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/exact_functions.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A function, its bounds in units in the last place, and the numbers between which it is neither constant
/// nor NaN.
struct MeasuredFunction {
  UnaryFn fn;
  double f32_ulps, f64_ulps;
  double low, high;
};
std::span<const MeasuredFunction> measured_functions();
/// Null if the function of this name is not among them.
const MeasuredFunction* measured_function(std::string_view name);

/// The distance of the floats around an exact value.
template <class T, class Wide>
Wide unit_in_last_place(Wide value) {
  using Limits = std::numeric_limits<T>;
  value = std::fabs(value);
  if (value < static_cast<Wide>(Limits::min())) return static_cast<Wide>(Limits::denorm_min());
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(Wide{1}, exponent - Limits::digits);
}

/// The largest error of what a function returned, and where. `wrong` counts results of another kind than the
/// exact one:
/// NaN, an infinity or a zero of some sign.
struct Errors {
  double ulps = 0, at = 0;
  std::int64_t wrong = 0;
  double wrong_at = 0;
  void join(const Errors& other);
};

/// The numbers that a function of T is compared with: double for f32, long double for f64.
template <class T>
using Exact = std::conditional_t<sizeof(T) == 8, long double, double>;
/// The exact values at these points, of f64 by libquadmath.
template <class T>
std::vector<Exact<T>> exact_values(UnaryFn fn, std::span<const T> points);

/// Errors of lgamma and digamma up to 4 epsilons count as 0, because of their roots; for negative numbers
/// digamma has that times log(|x|). `exact` are the exact values at the points.
template <class T>
Errors errors_of(UnaryFn fn, std::span<const T> points, std::span<const T> found,
                 std::span<const Exact<T>> exact);
template <class T>
Errors errors_of(UnaryFn fn, std::span<const T> points, std::span<const T> found) {
  return errors_of<T>(fn, points, found, exact_values<T>(fn, points));
}

/// n floats: half of them evenly among the bit patterns, half evenly between the numbers. Where the function
/// changes most, `round` chooses other ones.
template <class T>
std::vector<T> measured_points(const MeasuredFunction& function, std::int64_t n, std::uint64_t round = 0);

/// The unary kernel on all points.
template <class T>
std::vector<T> computed(UnaryFn fn, std::span<const T> points);

}  // namespace tutti
