// SPDX-License-Identifier: Apache-2.0
// The elementary functions against libm of more digits: errors in units in the last place, edges, and equal
// bits whatever the instruction set and the place in the array. docs/accuracy.md has the errors at more
// points.
#include "tests/support/accuracy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/instruction_set.hpp"

namespace tutti {
namespace {

/// 2^14, or TUTTI_ACCURACY_POINTS (tools/soak accuracy).
std::int64_t points_per_function() {
  const char* wanted = std::getenv("TUTTI_ACCURACY_POINTS");
  return wanted ? std::atoll(wanted) : 1 << 14;
}

template <class T>
std::vector<T> points_and_edges(const MeasuredFunction& function) {
  std::vector<T> points = measured_points<T>(function, points_per_function());
  for (T edge : edge_values<T>()) points.push_back(edge);
  for (double x : {88.9,    89.4, 89.5, 90.1,   710.3,  710.47,  710.5,   711.5,   1.9e19, 4.08e36,
                   4.09e36, -3.5, -4.0, 1024.0, -149.0, -1074.0, -1075.0, -2000.0, 27.3,   10.1})
    points.push_back(static_cast<T>(x));
  return points;
}

template <class T>
void expect_within(const MeasuredFunction& function, double bound) {
  const std::vector<T> points = points_and_edges<T>(function);
  const Errors errors = errors_of<T>(function.fn, points, computed<T>(function.fn, points));
  EXPECT_LE(errors.ulps, bound) << name(function.fn) << " of " << name(dtype_of<T>()) << " at " << errors.at;
  EXPECT_EQ(errors.wrong, 0) << name(function.fn) << " of " << name(dtype_of<T>()) << " at "
                             << errors.wrong_at;
}

class accuracy_on : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(all, accuracy_on, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

TEST_P(accuracy_on, is_within_its_bounds_and_right_at_the_edges) {
  const UseInstructionSet use(GetParam());
  for (const MeasuredFunction& function : measured_functions()) {
    expect_within<float>(function, function.f32_ulps);
    expect_within<double>(function, function.f64_ulps);
  }
}

// Every element alone, and after others, as in the middle and in the tail of a loop.
template <class T>
std::string places_that_differ(const MeasuredFunction& function) {
  const std::vector<T> points = measured_points<T>(function, 67);
  const std::vector<T> whole = computed<T>(function.fn, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<T> alone = computed<T>(function.fn, std::span(points).subspan(i, 1)),
                         rest = computed<T>(function.fn, std::span(points).subspan(i));
    if (std::memcmp(alone.data(), &whole[i], sizeof(T)) != 0) return "alone";
    if (std::memcmp(rest.data(), &whole[i], rest.size() * sizeof(T)) != 0) return "moved";
  }
  return {};
}

TEST_P(accuracy_on, gives_an_element_the_same_bits_wherever_it_stands) {
  const UseInstructionSet use(GetParam());
  for (const MeasuredFunction& function : measured_functions()) {
    EXPECT_EQ(places_that_differ<float>(function), "") << name(function.fn);
    EXPECT_EQ(places_that_differ<double>(function), "") << name(function.fn);
  }
}

template <class T>
std::string sets_that_differ(const MeasuredFunction& function) {
  const std::vector<T> points = points_and_edges<T>(function);
  std::vector<T> first;
  std::string differ;
  for (std::int64_t target : instruction_sets()) {
    const UseInstructionSet use(target);
    if (!fuses_multiply_add()) continue;
    const std::vector<T> found = computed<T>(function.fn, points);
    if (first.empty()) first = found;
    if (std::memcmp(found.data(), first.data(), found.size() * sizeof(T)) != 0) differ += instruction_set();
  }
  return differ;
}

TEST(accuracy, has_the_same_bits_on_all_instruction_sets_with_fused_multiply_add) {
  for (const MeasuredFunction& function : measured_functions()) {
    EXPECT_EQ(sets_that_differ<float>(function), "") << name(function.fn);
    EXPECT_EQ(sets_that_differ<double>(function), "") << name(function.fn);
  }
}

double of(UnaryFn fn, double x) { return computed<double>(fn, std::span<const double>(&x, 1))[0]; }

TEST(elementary, have_worked_values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Worked {
    UnaryFn fn;
    double x, y;
  };
  for (const auto& [fn, x, y] : std::initializer_list<Worked>{{UnaryFn::exp2, 10, 1024},
                                                              {UnaryFn::exp2, -1074, 0x1p-1074},
                                                              {UnaryFn::exp2, -infinity, 0},
                                                              {UnaryFn::exp2, 1024, infinity},
                                                              {UnaryFn::log2, 8, 3},
                                                              {UnaryFn::log2, 0x1p-1074, -1074},
                                                              {UnaryFn::log2, 0, -infinity},
                                                              {UnaryFn::log10, 1000, 3},
                                                              {UnaryFn::log10, infinity, infinity},
                                                              {UnaryFn::tan, -0.0, -0.0},
                                                              {UnaryFn::asin, 1, 1.5707963267948966},
                                                              {UnaryFn::acos, -1, 3.1415926535897931},
                                                              {UnaryFn::acos, 1, 0},
                                                              {UnaryFn::atan, -infinity, -1.5707963267948966},
                                                              {UnaryFn::sinh, -0.0, -0.0},
                                                              {UnaryFn::cosh, -infinity, infinity},
                                                              {UnaryFn::asinh, -infinity, -infinity},
                                                              {UnaryFn::acosh, 1, 0},
                                                              {UnaryFn::atanh, -1, -infinity},
                                                              {UnaryFn::cbrt, -27, -3},
                                                              {UnaryFn::cbrt, -0.0, -0.0},
                                                              {UnaryFn::erfc, -infinity, 2},
                                                              {UnaryFn::erfc, infinity, 0},
                                                              {UnaryFn::erf_inv, -1, -infinity},
                                                              {UnaryFn::erf_inv, -0.0, -0.0},
                                                              {UnaryFn::xla_erf_inv, 1, infinity},
                                                              {UnaryFn::lgamma, 1, 0},
                                                              {UnaryFn::lgamma, -3, infinity},
                                                              {UnaryFn::lgamma, -infinity, infinity},
                                                              {UnaryFn::trigamma, -2, infinity},
                                                              {UnaryFn::digamma, infinity, infinity}}) {
    const double found = of(fn, x);
    EXPECT_TRUE(same_element(found, y)) << name(fn) << "(" << x << ") = " << found << ", not " << y;
  }
  EXPECT_NEAR(of(UnaryFn::erf_inv, 0.5), 0.47693627620446987, 1e-16);
  EXPECT_NEAR(of(UnaryFn::erf_inv, -0.99999999), -4.0522372432687632, 2e-15);
  EXPECT_NEAR(of(UnaryFn::digamma, 1), -0.57721566490153286, 1e-16);
  EXPECT_NEAR(of(UnaryFn::digamma, 1.4616321449683622), 0, 1e-15);
  EXPECT_NEAR(of(UnaryFn::digamma, -0.5), 0.036489973978576520, 1e-15);
  EXPECT_NEAR(of(UnaryFn::trigamma, 1), 1.6449340668482264, 4e-16);
  EXPECT_NEAR(of(UnaryFn::lgamma, 0.5), 0.57236494292470008, 2e-16);
}

// The points above hardly reach these numbers.
TEST(trigamma, is_within_its_bound_far_below_0) {
  std::vector<double> points;
  for (int k = 1; k <= 10'000; ++k) points.push_back(-60 - 0.0137 * k);
  const Errors errors =
      errors_of<double>(UnaryFn::trigamma, points, computed<double>(UnaryFn::trigamma, points));
  EXPECT_LE(errors.ulps, 4) << errors.at;
  EXPECT_EQ(errors.wrong, 0);
}

TEST(elementary, are_nan_outside_of_their_domains) {
  struct Outside {
    UnaryFn fn;
    double x;
  };
  for (const auto& [fn, x] :
       std::initializer_list<Outside>{{UnaryFn::log2, -1},
                                      {UnaryFn::log10, -1},
                                      {UnaryFn::tan, std::numeric_limits<double>::infinity()},
                                      {UnaryFn::asin, 1.1},
                                      {UnaryFn::acos, -1.1},
                                      {UnaryFn::acosh, 0.9},
                                      {UnaryFn::atanh, 1.1},
                                      {UnaryFn::erf_inv, -1.1},
                                      {UnaryFn::xla_erf_inv, 1.1},
                                      {UnaryFn::digamma, 0},
                                      {UnaryFn::digamma, -7}})
    EXPECT_TRUE(std::isnan(of(fn, x))) << name(fn) << "(" << x << ")";
}

template <class T>
T counted(UnaryFn fn, T x) {
  T found{};
  const auto* in = reinterpret_cast<const std::byte*>(&x);
  unary_kernel(fn, dtype_of<T>())(reinterpret_cast<std::byte*>(&found), &in, 1);
  return found;
}

TEST(elementary, count_bits_of_integers) {
  EXPECT_EQ(counted<std::uint8_t>(UnaryFn::popcount, 0xB1), 4);
  EXPECT_EQ(counted<std::int8_t>(UnaryFn::popcount, -1), 8);
  EXPECT_EQ(counted<std::int32_t>(UnaryFn::popcount, -2), 31);
  EXPECT_EQ(counted<std::uint64_t>(UnaryFn::popcount, std::uint64_t{1} << 63 | 1), 2U);
  EXPECT_EQ(counted<std::uint8_t>(UnaryFn::count_leading_zeros, 1), 7);
  EXPECT_EQ(counted<std::int16_t>(UnaryFn::count_leading_zeros, 0), 16);
  EXPECT_EQ(counted<std::int32_t>(UnaryFn::count_leading_zeros, -5), 0);
  EXPECT_EQ(counted<std::int64_t>(UnaryFn::count_leading_zeros, 256), 55);
  EXPECT_THROW(unary_kernel(UnaryFn::popcount, DType::f32), Error);
  EXPECT_THROW(unary_kernel(UnaryFn::count_leading_zeros, DType::boolean), Error);
}

// Planted: what the check must catch.
TEST(errors_of, finds_an_error_at_one_point_and_a_wrong_kind) {
  const MeasuredFunction& function = *measured_function("tan");
  const std::vector<double> points = measured_points<double>(function, 100);
  std::vector<double> found = computed<double>(function.fn, points);
  EXPECT_LT(errors_of<double>(function.fn, points, found).ulps, 4);
  found[17] += 9 * std::fabs(found[17]) * std::numeric_limits<double>::epsilon();
  EXPECT_GT(errors_of<double>(function.fn, points, found).ulps, 4);
  EXPECT_EQ(errors_of<double>(function.fn, points, found).at, points[17]);
  const std::vector<double> edge{-0.0}, wrong{0.0};
  EXPECT_EQ(errors_of<double>(function.fn, edge, wrong).wrong, 1);
}

}  // namespace
}  // namespace tutti
