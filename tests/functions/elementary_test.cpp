// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/numbers/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/functions/on_one_device.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Tensor row(const std::vector<T>& values) {
  return {Shape{static_cast<std::int64_t>(values.size())}, values};
}
Tensor flags(const std::vector<int>& values) {
  Tensor found(Shape{static_cast<std::int64_t>(values.size())}, DType::boolean);
  for (std::size_t i = 0; i < values.size(); ++i) found.mutable_data<bool>()[i] = values[i] != 0;
  return found;
}

using OfOne = Array (*)(const Operand&);
using OfTwo = Array (*)(const Operand&, const Operand&);
Tensor of(OfOne function, const Tensor& x) {
  return on_one_device({x}, [&](const Arrays& a) { return function(a[0]); });
}
Tensor of(OfTwo function, const Tensor& x, const Tensor& y) {
  return on_one_device({x, y}, [&](const Arrays& a) { return function(a[0], a[1]); });
}
std::string refusal_of(OfTwo function, Type x, Type y) {
  return tutti::refusal_of(
      [&] { trace({x, y}, [&](const Arrays& a) { return Arrays{function(a[0], a[1])}; }); });
}

/// NaN equals NaN, and zeros have signs.
void expect_same(const Tensor& found, const std::vector<double>& want) {
  ASSERT_EQ(found.elements(), static_cast<std::int64_t>(want.size()));
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double value = found.at(static_cast<std::int64_t>(i));
    if (std::isnan(want[i])) EXPECT_TRUE(std::isnan(value)) << i << ": " << value;
    else EXPECT_TRUE(value == want[i] && std::signbit(value) == std::signbit(want[i])) << i << ": " << value;
  }
}

TEST(isnan, finds_nan_only) {
  EXPECT_EQ(of(isnan, doubles({0, nan, inf, -inf, 1, -nan})), flags({0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(of(isnan, row<std::int32_t>({0, 7})), flags({0, 0}));
  EXPECT_EQ(of(isnan, row<std::complex<float>>({{1, 2}, {NAN, 0}, {0, NAN}, {INFINITY, 0}})),
            flags({0, 1, 1, 0}));
  EXPECT_EQ(of(isnan, doubles({})), flags({}));
}

TEST(isinf, finds_infinities_of_both_signs_and_in_both_parts) {
  EXPECT_EQ(of(isinf, doubles({0, nan, inf, -inf, 1e308})), flags({0, 0, 1, 1, 0}));
  EXPECT_EQ(of(isinf, row<std::int64_t>({0, 7})), flags({0, 0}));
  EXPECT_EQ(of(isinf, row<std::complex<double>>({{1, 2}, {inf, 0}, {0, -inf}, {nan, 0}})),
            flags({0, 1, 1, 0}));
}

TEST(nan_to_num, takes_the_largest_numbers_of_the_dtype) {
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(on_one_device({row<float>({NAN, INFINITY, -INFINITY, 2})},
                          [](const Arrays& a) { return nan_to_num(a[0]); }),
            row<float>({0, most, -most, 2}));
  EXPECT_EQ(on_one_device({row<float>({NAN, INFINITY, -INFINITY})},
                          [](const Arrays& a) {
                            return convert(nan_to_num(convert(a[0], DType::f16)), DType::f32);
                          }),
            row<float>({0, 65504, -65504}));
  EXPECT_EQ(on_one_device({row<float>({NAN, INFINITY, -INFINITY})},
                          [](const Arrays& a) {
                            return convert(nan_to_num(convert(a[0], DType::bf16)), DType::f64);
                          }),
            doubles({0, 0x1.FEp127, -0x1.FEp127}));
}

TEST(nan_to_num, takes_the_numbers_given) {
  EXPECT_EQ(on_one_device({doubles({nan, inf, -inf})},
                          [](const Arrays& a) {
                            return nan_to_num(a[0], {.nan = 5, .posinf = 6, .neginf = 7});
                          }),
            doubles({5, 6, 7}));
  EXPECT_EQ(on_one_device({row<std::complex<double>>({{nan, inf}})},
                          [](const Arrays& a) { return nan_to_num(a[0], {.nan = 5, .posinf = 6}); }),
            row<std::complex<double>>({{5, 6}}));
  EXPECT_EQ(on_one_device({row<std::int32_t>({3})},
                          [](const Arrays& a) { return nan_to_num(a[0], {.nan = 5}); }),
            row<std::int32_t>({3}));
}

TEST(floor_divide, rounds_down) {
  EXPECT_EQ(of(floor_divide, row<std::int32_t>({7, -7, 7, -7, 6, -6}),
               row<std::int32_t>({2, 2, -2, -2, 3, 3})),
            row<std::int32_t>({3, -4, -4, 3, 2, -2}));
  EXPECT_EQ(of(floor_divide, row<std::uint8_t>({255, 7}), row<std::uint8_t>({2, 8})),
            row<std::uint8_t>({127, 0}));
  expect_same(of(floor_divide, doubles({7, -7, 7, 0.3, 1, 1, -1, nan}),
                 doubles({2, 2, -2, 0.1, inf, 0, inf, 1})),
              {3, -4, -4, 2, 0, inf, -1, nan});
}

TEST(mod, has_the_sign_of_the_divisor) {
  EXPECT_EQ(of(mod, row<std::int32_t>({7, -7, 7, -7, 6, 5}), row<std::int32_t>({2, 2, -2, -2, 3, 0})),
            row<std::int32_t>({1, 1, -1, -1, 0, 0}));
  expect_same(of(mod, doubles({7.5, -7.5, 7.5, -7.5, 1, 1}), doubles({2, 2, -2, -2, inf, 0})),
              {1.5, 0.5, -0.5, -1.5, 1, nan});
}

struct DivMod {
  double whole, rest;
};
/// float_divmod of CPython's Objects/floatobject.c, which NumPy shares; for b = 0 as in NumPy.
DivMod divmod_of_python(double a, double b) {
  double rest = std::fmod(a, b);
  if (b == 0) return {a / b, rest};
  double whole = (a - rest) / b;
  if (rest == 0) rest = std::copysign(0.0, b);
  else if ((b < 0) != (rest < 0)) rest += b, whole -= 1;
  if (whole == 0) return {std::copysign(0.0, a / b), rest};
  const double below = std::floor(whole);
  return {whole - below > 0.5 ? below + 1 : below, rest};
}

/// floor_divide and mod in `dtype`.
std::pair<Tensor, Tensor> divmod_in(DType dtype, const Tensor& x, const Tensor& y) {
  const auto in_dtype = [&](OfTwo function) {
    return on_one_device({x, y}, [&](const Arrays& a) {
      return convert(function(convert(a[0], dtype), convert(a[1], dtype)), DType::f64);
    });
  };
  return {in_dtype(floor_divide), in_dtype(mod)};
}
const std::vector<DType> all_floats{DType::f16, DType::bf16, DType::f32, DType::f64};

// All are numbers of every dtype, and so are the results.
TEST(divmod, has_the_values_and_the_signs_of_python) {
  const std::vector<double> edges{0, -0.0, 0.25, -0.25, 1, -1, 3, -3, 4, -4, inf, -inf, nan};
  std::vector<double> a, b, whole, rest;
  for (double x : edges)
    for (double y : edges) {
      const DivMod want = divmod_of_python(x, y);
      a.push_back(x), b.push_back(y), whole.push_back(want.whole), rest.push_back(want.rest);
    }
  for (DType dtype : all_floats) {
    SCOPED_TRACE(name(dtype));
    const auto [found_whole, found_rest] = divmod_in(dtype, doubles(a), doubles(b));
    expect_same(found_whole, whole);
    expect_same(found_rest, rest);
  }
  const DivMod third = divmod_of_python(-1, 1), fifth = divmod_of_python(4, -2);
  EXPECT_FALSE(std::signbit(third.rest));  // (-1.0) % 1.0 is 0.0 in Python
  EXPECT_TRUE(std::signbit(fifth.rest));   // 4.0 % -2.0 is -0.0
}

// 200 / 1.1875 as bf16: the difference of 200 and its remainder has more bits than bf16.
TEST(floor_divide, is_exact_in_half_types) {
  std::vector<double> a, b, whole;
  for (int x = -256; x <= 256; ++x)
    for (double y : {1.1875, -1.4375, 3.0})
      a.push_back(x), b.push_back(y), whole.push_back(divmod_of_python(x, y).whole);
  for (DType dtype : {DType::f16, DType::bf16}) {
    SCOPED_TRACE(name(dtype));
    expect_same(divmod_in(dtype, doubles(a), doubles(b)).first, whole);
  }
}

TEST(mod, has_its_slopes_also_where_nothing_is_left) {
  const Tensor a = doubles({4, -4, 7, -7, 4, -7}), b = doubles({2, 2, 2, 2, -2, -2});
  expect_same(slope_on_one_device({a, b}, [](const Arrays& x) { return mod(x[0], x[1]); }),
              {1, 1, 1, 1, 1, 1});
  expect_same(slope_on_one_device({b, a}, [](const Arrays& x) { return mod(x[1], x[0]); }),
              {-2, 2, -3, 4, 2, -3});
}

TEST(remainder, of_c_has_the_sign_of_the_dividend) {
  const Tensor a = doubles({-4, 4, -1, 1, -0.0, 0.0, -inf, -1}), b = doubles({2, -2, 1, -1, 3, -3, 2, -inf});
  expect_same(of(rem, a, b), {-0.0, 0, -0.0, 0, -0.0, 0, nan, -1});
}

TEST(floor_divide, and_mod_refuse_bool_and_complex_numbers) {
  const Type bools(DType::boolean, {2}), z(DType::complex64, {2}), x(DType::f32, {2});
  EXPECT_EQ(refusal_of(mod, bools, bools), "T007: mod: bool[2] is bool; convert it: convert(x, DType::i32)");
  EXPECT_EQ(refusal_of(floor_divide, z, z), "T007: floor_divide: complex64[2] is complex, and complex "
                                            "numbers have no order; apply it to the parts: "
                                            "real(x), imag(x)");
  EXPECT_EQ(refusal_of(hypot, z, z), "T007: hypot: complex64[2] is complex, for which it is not defined; "
                                     "apply it to the parts: real(x), imag(x)");
  EXPECT_EQ(refusal_of(logaddexp, bools, bools),
            "T007: logaddexp: bool[2] is not float; convert it: convert(x, DType::f32)");
  EXPECT_EQ(refusal_of(xlogy, x, Type(DType::f64, {2})).substr(0, 11), "T007: xlogy");
}

TEST(copysign, takes_the_sign_of_zeros_and_nan) {
  expect_same(of(copysign, doubles({1, 2, -3, nan, 0, inf}),
                 doubles({-0.0, 0.0, std::copysign(nan, -1), -1, -2, -inf})),
              {-1, 2, -3, nan, -0.0, -inf});
}

TEST(hypot, neither_overflows_nor_loses_small_numbers) {
  expect_same(of(hypot, doubles({0, -8, inf, nan, inf, nan}), doubles({-0.0, 0, nan, -inf, inf, 1})),
              {0, 8, inf, inf, inf, nan});
  const Tensor found = of(hypot, doubles({3, 3e200, 4e-200}), doubles({-4, 4e200, 3e-200}));
  EXPECT_NEAR(found.at(0), 5, 2e-15);
  EXPECT_NEAR(found.at(1), 5e200, 2e185);
  EXPECT_NEAR(found.at(2), 5e-200, 2e-215);
}

TEST(hypot, is_within_2_units) {
  std::vector<float> x, y;
  for (int i = 0; i < 20000; ++i) {
    x.push_back(static_cast<float>(std::sin(i * 0.7) * std::exp2(i % 40 - 20)));
    y.push_back(static_cast<float>(std::cos(i * 0.3) * std::exp2(i % 37 - 18)));
  }
  const Tensor found = of(hypot, row(x), row(y));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = std::hypot(static_cast<double>(x[i]), static_cast<double>(y[i]));
    const double unit = std::exp2(std::ilogb(want) - 23);
    EXPECT_LE(std::fabs(found.at(static_cast<std::int64_t>(i)) - want), 2 * unit) << x[i] << " " << y[i];
  }
}

TEST(logaddexp, neither_overflows_nor_turns_infinities_into_nan) {
  const Tensor found = of(logaddexp, doubles({1000, -1000, inf, -inf, inf, nan, -inf, 0}),
                          doubles({1000, -1001, inf, -inf, 3, 1, 2, 0}));
  const double ln2 = 0.69314718055994529;
  expect_same(found, {1000 + ln2, -1000 + std::log1p(std::exp(-1.0)), inf, -inf, inf, nan, 2, ln2});
}

TEST(logaddexp, has_finite_slopes_at_infinities) {
  const auto function = [](const Arrays& a) { return logaddexp(a[0], a[1]); };
  expect_same(slope_on_one_device({doubles({0, 800, -800, inf, -inf}), doubles({0, 0, 0, 3, 3})}, function),
              {0.5, 1, 0, 1, 0});
  const Tensor slope = slope_on_one_device({doubles({inf, -inf}), doubles({inf, -inf})}, function);
  EXPECT_FALSE(std::isnan(slope.at(0)) || std::isnan(slope.at(1)));
}

TEST(logaddexp, has_the_slope_nan_at_nan) {
  const auto function = [](const Arrays& a) { return logaddexp(a[0], a[1]); };
  expect_same(slope_on_one_device({doubles({nan, 1}), doubles({1, nan})}, function), {nan, nan});
}

TEST(xlogy, is_zero_where_the_factor_is) {
  expect_same(of(xlogy, doubles({0, 0, 0, 2, 0, 1}), doubles({0, -1, inf, 1, nan, 0})),
              {0, 0, 0, 0, nan, -inf});
}

TEST(xlogy, has_the_slope_log_b_also_where_the_factor_is_zero) {
  expect_same(slope_on_one_device({doubles({0, 0, 3, 0, 0}), doubles({1, 0, 1, inf, -1})},
                                  [](const Arrays& a) { return xlogy(a[0], a[1]); }),
              {0, 0, 0, 0, 0});
  const Tensor slope =
      slope_on_one_device({doubles({0}), doubles({2})}, [](const Arrays& a) { return xlogy(a[0], a[1]); });
  EXPECT_NEAR(slope.at(0), std::log(2.0), 1e-15);
}

TEST(deg2rad, and_back) {
  EXPECT_EQ(of(deg2rad, doubles({180, 0, -90})), doubles({3.1415926535897931, 0, -1.5707963267948966}));
  EXPECT_NEAR(of(rad2deg, doubles({3.1415926535897931})).at(0), 180, 1e-13);
}

TEST(elementary_functions, broadcast_and_take_numbers) {
  EXPECT_EQ(on_one_device({doubles({1, 2, 7})}, [](const Arrays& a) { return mod(a[0], 3); }),
            doubles({1, 2, 1}));
  EXPECT_EQ(on_one_device({Tensor(Shape{2, 1}, std::vector<double>{3, 5}), doubles({4, 12})},
                          [](const Arrays& a) { return hypot(a[0], a[1]); })
                .shape(),
            (Shape{2, 2}));
}

TEST(elementary_functions, carry_the_line_of_the_caller) {
  int line = 0;
  Program program = trace({Type(DType::f32, {3})}, [&](const Arrays& x) {
                      line = __LINE__ + 1;
                      return Arrays{logaddexp(x[0], 0)};
                    }).program;
  for (const Equation& equation : program.equations)
    EXPECT_EQ(equation.where.line, line) << to_string(equation.op);
}

}  // namespace
}  // namespace tutti
