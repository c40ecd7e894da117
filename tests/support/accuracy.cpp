// SPDX-License-Identifier: Apache-2.0
#include "tests/support/accuracy.hpp"

#include <bit>
#include <random>

#include "tutti/tensor/loops/elementwise.hpp"

namespace tutti {
namespace {

constexpr double all = 1.7976931348623157e308;  // f32 has its largest number instead
// The bounds of docs/accuracy.md. From exp on they are the largest errors of 2^20 points each on AVX-512,
// AVX2 and the portable set, rounded up. xla_erf_inv has the error of XLA's formula, which rounds 1 - x^2.
constexpr MeasuredFunction functions[] = {{UnaryFn::exp2, 2, 4, -1075, 1024},
                                          {UnaryFn::log2, 2, 4, 0, all},
                                          {UnaryFn::log10, 2, 4, 0, all},
                                          {UnaryFn::tan, 2, 4, -all, all},
                                          {UnaryFn::asin, 2, 4, -1, 1},
                                          {UnaryFn::acos, 2, 4, -1, 1},
                                          {UnaryFn::atan, 2, 4, -all, all},
                                          {UnaryFn::sinh, 2, 4, -711, 711},
                                          {UnaryFn::cosh, 2, 4, -711, 711},
                                          {UnaryFn::asinh, 2, 4, -all, all},
                                          {UnaryFn::acosh, 2, 4, 1, all},
                                          {UnaryFn::atanh, 2, 4, -1, 1},
                                          {UnaryFn::cbrt, 2, 4, -all, all},
                                          {UnaryFn::erfc, 2, 4, -6, 28},
                                          {UnaryFn::lgamma, 2, 4, -40, all},
                                          {UnaryFn::digamma, 2, 4, -40, all},
                                          {UnaryFn::trigamma, 2, 4, -400, all},
                                          {UnaryFn::erf_inv, 2, 4, -1, 1},
                                          {UnaryFn::xla_erf_inv, 70, 1e6, -1, 1},
                                          {UnaryFn::exp, 1.1, 1.1, -746, 711},
                                          {UnaryFn::log, 1, 1, 0, all},
                                          {UnaryFn::tanh, 3.1, 3.1, -30, 30},
                                          {UnaryFn::logistic, 2.5, 2.5, -746, 746},
                                          {UnaryFn::sqrt, 0.5, 0.5, 0, all},
                                          {UnaryFn::rsqrt, 1.5, 1.5, 0, all},
                                          {UnaryFn::sin, 3, 3, -all, all},
                                          {UnaryFn::cos, 3, 3, -all, all},
                                          {UnaryFn::log1p, 2.6, 2.6, -1, all},
                                          {UnaryFn::expm1, 4, 4, -746, 711},
                                          {UnaryFn::erf, 1, 1, -7, 7}};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// Floats in their order as integers; -0 and 0 are one apart.
template <class T>
BitsOf<T> place_of(T x) {
  const auto bits = std::bit_cast<BitsOf<T>>(x);
  return bits >= 0 ? bits : std::numeric_limits<BitsOf<T>>::min() - bits - 1;
}
template <class T>
T at_place(BitsOf<T> place) {
  return std::bit_cast<T>(
      place >= 0 ? place : static_cast<BitsOf<T>>(std::numeric_limits<BitsOf<T>>::min() - place - 1));
}

template <class T>
T within_range(double x) {
  const double largest = std::numeric_limits<T>::max();
  return static_cast<T>(std::fmin(std::fmax(x, -largest), largest));
}

/// The error that counts as none: near the roots of lgamma and digamma no unit in the last place is large
/// enough. digamma of a negative number is a difference of numbers like log(|x|).
template <class Wide>
Wide free_error(UnaryFn fn, Wide x, Wide epsilon) {
  if (fn == UnaryFn::lgamma) return 4 * epsilon;
  if (fn != UnaryFn::digamma) return 0;
  return 4 * epsilon * (x < 0 ? std::fmax(Wide{1}, std::log(-x)) : Wide{1});
}

template <class T>
bool is_same_kind(T found, T want) {
  if (std::isnan(want)) return std::isnan(found);
  return found == want && std::signbit(found) == std::signbit(want);
}

}  // namespace

std::span<const MeasuredFunction> measured_functions() { return functions; }

const MeasuredFunction* measured_function(std::string_view wanted) {
  for (const MeasuredFunction& function : functions)
    if (name(function.fn) == wanted) return &function;
  return nullptr;
}

void Errors::join(const Errors& other) {
  if (other.ulps > ulps) {
    ulps = other.ulps;
    at = other.at;
  }
  if (wrong == 0) wrong_at = other.wrong_at;
  wrong += other.wrong;
}

template <class T>
std::vector<Exact<T>> exact_values(UnaryFn fn, std::span<const T> points) {
  std::vector<Exact<T>> exact;
  exact.reserve(points.size());
  for (T x : points) {
    if constexpr (sizeof(T) == 8) exact.push_back(quad_value(fn, x));
    else exact.push_back(double_value(fn, x));
  }
  return exact;
}

template <class T>
Errors errors_of(UnaryFn fn, std::span<const T> points, std::span<const T> found,
                 std::span<const Exact<T>> exact) {
  using Wide = Exact<T>;
  constexpr Wide epsilon = std::numeric_limits<T>::epsilon();
  Errors errors;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Wide want = exact[i], off = std::fabs(found[i] - want);
    const T rounded = static_cast<T>(want);
    if (std::isnan(rounded) || std::isinf(rounded) || want == 0) {
      if (is_same_kind(found[i], rounded)) continue;
      if (errors.wrong++ == 0) errors.wrong_at = points[i];
      continue;
    }
    const Wide unit_at_least = std::fabs(want) * epsilon / 2;
    if (off <= static_cast<Wide>(errors.ulps) * unit_at_least) continue;  // not the largest error
    if (off <= free_error(fn, Wide(points[i]), epsilon)) continue;
    const auto ulps = static_cast<double>(off / unit_in_last_place<T>(want));
    if (ulps <= errors.ulps) continue;
    errors.ulps = std::isnan(ulps) ? std::numeric_limits<double>::infinity() : ulps;
    errors.at = points[i];
  }
  return errors;
}

template <class T>
std::vector<T> measured_points(const MeasuredFunction& function, std::int64_t n, std::uint64_t round) {
  const T low = within_range<T>(function.low), high = within_range<T>(function.high);
  const double first = static_cast<double>(place_of(low)), last = static_cast<double>(place_of(high));
  const double near_low = std::fmax(function.low, -50), near_high = std::fmin(function.high, 50);
  std::mt19937_64 random(7 + round);
  std::vector<T> points;
  for (std::int64_t i = 0; i < n; ++i) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    if (i % 2 == 0)
      points.push_back(
          std::fmin(high, std::fmax(low, at_place<T>(static_cast<BitsOf<T>>(first + u * (last - first))))));
    else points.push_back(static_cast<T>(near_low + u * (near_high - near_low)));
  }
  return points;
}

template <class T>
std::vector<T> computed(UnaryFn fn, std::span<const T> points) {
  std::vector<T> found(points.size());
  const auto* in = reinterpret_cast<const std::byte*>(points.data());
  unary_kernel(fn, dtype_of<T>())(reinterpret_cast<std::byte*>(found.data()), &in,
                                  static_cast<std::int64_t>(points.size()));
  return found;
}

template std::vector<double> exact_values(UnaryFn, std::span<const float>);
template std::vector<long double> exact_values(UnaryFn, std::span<const double>);
template Errors errors_of(UnaryFn, std::span<const float>, std::span<const float>, std::span<const double>);
template Errors errors_of(UnaryFn, std::span<const double>, std::span<const double>,
                          std::span<const long double>);
template std::vector<float> measured_points(const MeasuredFunction&, std::int64_t, std::uint64_t);
template std::vector<double> measured_points(const MeasuredFunction&, std::int64_t, std::uint64_t);
template std::vector<float> computed(UnaryFn fn, std::span<const float> points);
template std::vector<double> computed(UnaryFn fn, std::span<const double> points);

}  // namespace tutti
