// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh, logistic, sqrt, rsqrt, sin, cos, log1p, expm1 and erf against 80-bit libm: error in units
// in the last place over ranges that reach every exponent, and the edges, on every instruction set.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "tests/support/accuracy.hpp"
#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/instruction_set.hpp"

namespace tutti {
namespace {

constexpr UnaryFn functions[] = {UnaryFn::exp,   UnaryFn::log,      UnaryFn::tanh, UnaryFn::sqrt,
                                 UnaryFn::rsqrt, UnaryFn::logistic, UnaryFn::sin,  UnaryFn::cos,
                                 UnaryFn::log1p, UnaryFn::expm1,    UnaryFn::erf};

template <class T>
using Function = std::function<void(T*, const T*, std::int64_t)>;

/// The first point where `found` is not within `ulp` of the exact value, or of another kind (NaN, infinity,
/// signed zero).
template <class T>
std::string inaccuracy(const Function<T>& function, UnaryFn fn, double ulp, const std::vector<T>& points) {
  std::vector<T> found(points.size());
  function(found.data(), points.data(), std::int64_t(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const long double want = exact_value(fn, points[i]);
    const T rounded = static_cast<T>(want);
    const bool is_special = std::isnan(rounded) || std::isinf(rounded) || want == 0;
    const bool good = is_special ? same_element(found[i], rounded)
                                 : std::fabs(found[i] - want) <= ulp * unit_in_last_place<T>(want);
    if (!good)
      return std::string(name(fn)) + "(" + std::to_string(points[i]) + ") = " + std::to_string(found[i]) +
             ", not " + std::to_string(rounded);
  }
  return {};
}

template <class T>
std::vector<T> points_for(UnaryFn fn) {
  std::vector<T> points = edge_values<T>();
  for (double x : {88.72,  88.73,   104.0,   150.0,  200.0, 1000.0, -87.4,  -103.0, -104.0, -105.0,
                   -150.0, -1000.0, 709.7,   709.79, 706.0, -708.0, -744.0, -746.0, -999.0, -1001.0,
                   1e10,   0.34657, 0.34658, 9.0,    20.0,  89.0,   90.0,   710.0})
    points.push_back(static_cast<T>(x));
  std::mt19937_64 bits(11);
  for (int i = 0; i < 40000; ++i) {
    const double u = static_cast<double>(bits() >> 11) * 0x1p-53;
    const double sign = bits() % 2 == 0 ? 1 : -1;
    points.push_back(static_cast<T>(sign * 750 * u));
    points.push_back(static_cast<T>(sign * 10 * u));
    points.push_back(static_cast<T>(1 + sign * u / 2));
    points.push_back(static_cast<T>(sign * std::exp2(2100 * u - 1075)));  // every exponent
    points.push_back(
        static_cast<T>(std::floor(49600 * u - 24800) * 1.5707963267948966));  // where sin or cos is small
  }
  if (fn == UnaryFn::log || fn == UnaryFn::sqrt || fn == UnaryFn::rsqrt)  // its edges have negative numbers
    for (std::size_t i = edge_values<T>().size(); i < points.size(); ++i) points[i] = std::fabs(points[i]);
  if (fn == UnaryFn::log1p)
    for (std::size_t i = edge_values<T>().size(); i < points.size(); ++i)
      if (points[i] < -1) points[i] = std::fabs(points[i]);
  return points;
}

template <class T>
Function<T> kernel_of(UnaryFn fn) {
  return [kernel = unary_kernel(fn, dtype_of<T>())](T* to, const T* from, std::int64_t n) {
    const auto* in = reinterpret_cast<const std::byte*>(from);
    kernel(reinterpret_cast<std::byte*>(to), &in, n);
  };
}

class math_on : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(all, math_on, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

TEST_P(math_on, is_within_its_accuracy_everywhere) {
  const UseInstructionSet use(GetParam());
  for (UnaryFn fn : functions) {
    const MeasuredFunction& bounds = *measured_function(name(fn));
    EXPECT_EQ(inaccuracy(kernel_of<float>(fn), fn, bounds.f32_ulps, points_for<float>(fn)), "") << "f32";
    EXPECT_EQ(inaccuracy(kernel_of<double>(fn), fn, bounds.f64_ulps, points_for<double>(fn)), "") << "f64";
  }
}

TEST_P(math_on, keeps_logistic_between_0_and_1_and_its_tails_alive) {
  const UseInstructionSet use(GetParam());
  const std::vector<float> x{-1e30F, -200, -100, -88, 0, 17, 88, 200, 1e30F};
  std::vector<float> y(x.size());
  kernel_of<float>(UnaryFn::logistic)(y.data(), x.data(), std::int64_t(x.size()));
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 0);
  EXPECT_GT(y[2], 0);  // 3.8e-44, a denormal
  EXPECT_NEAR(y[3] / std::exp(-88.0), 1, 1e-5);
  EXPECT_EQ(y[4], 0.5F);
  EXPECT_EQ(y[8], 1);
}

/// Names of instruction sets where a function's bytes are not those of the first one. Those that do not
/// fuse multiply-add are left out.
template <class T>
std::string sets_that_differ(UnaryFn fn) {
  const std::vector<T> points = points_for<T>(fn);
  std::vector<T> found(points.size()), first;
  std::string differ;
  for (std::int64_t target : instruction_sets()) {
    const UseInstructionSet use(target);
    if (!fuses_multiply_add()) continue;
    kernel_of<T>(fn)(found.data(), points.data(), std::int64_t(points.size()));
    if (first.empty()) first = found;
    if (std::memcmp(found.data(), first.data(), found.size() * sizeof(T)) != 0) differ += instruction_set();
  }
  return differ;
}

TEST(math, has_the_same_bits_on_all_instruction_sets_with_fused_multiply_add) {
  for (UnaryFn fn : functions) {
    EXPECT_EQ(sets_that_differ<float>(fn), "") << name(fn);
    EXPECT_EQ(sets_that_differ<double>(fn), "") << name(fn);
  }
}

// Planted: what the accuracy check must catch.
TEST(inaccuracy, is_found_in_a_function_off_by_two_units_at_one_point) {
  const Function<float> off = [](float* to, const float* from, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(exact_value(UnaryFn::exp, from[i]));
    to[n - 1] = std::nextafter(std::nextafter(to[n - 1], 9e9F), 9e9F);
  };
  EXPECT_NE(inaccuracy<float>(off, UnaryFn::exp, 1.1, {0.1F, 0.2F, 0.3F}), "");
  EXPECT_EQ(inaccuracy<float>(off, UnaryFn::exp, 2.6, {0.1F, 0.2F, 0.3F}), "");
}

TEST(inaccuracy, is_found_in_functions_wrong_at_an_edge_only) {
  using Limits = std::numeric_limits<double>;
  const auto wrong_at = [](double edge, double value) -> Function<double> {
    return [=](double* to, const double* from, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i)
        to[i] = same_element(from[i], edge) ? value : static_cast<double>(exact_value(UnaryFn::log, from[i]));
    };
  };
  const auto points = points_for<double>(UnaryFn::log);
  EXPECT_EQ(inaccuracy(wrong_at(12345.0, 0), UnaryFn::log, 1, points), "");
  EXPECT_NE(inaccuracy(wrong_at(0.0, -745.13), UnaryFn::log, 1, points), "");  // Highway's
  EXPECT_NE(inaccuracy(wrong_at(Limits::infinity(), 709.78), UnaryFn::log, 1, points), "");
  EXPECT_NE(inaccuracy(wrong_at(Limits::quiet_NaN(), 710.2), UnaryFn::log, 1, points), "");
  EXPECT_NE(inaccuracy(wrong_at(-1, 177), UnaryFn::log, 1, points), "");
}

}  // namespace
}  // namespace tutti
