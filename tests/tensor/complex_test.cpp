// SPDX-License-Identifier: Apache-2.0
// Complex numbers: elementwise functions against those of long double, sums against those of their parts.
#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <optional>

#include "tests/tensor/element_values.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/products/product.hpp"

namespace tutti {
namespace {

using Exact = std::complex<long double>;

template <class T>
std::vector<std::complex<T>> spread(std::size_t n, std::uint64_t seed) {
  const std::vector<T> parts = spread_values<T>(2 * n, seed);
  std::vector<std::complex<T>> values;
  for (std::size_t i = 0; i < n; ++i)
    values.emplace_back(std::fmod(parts[2 * i], T{4}), std::fmod(parts[2 * i + 1], T{4}));
  return values;
}

template <class T>
Exact exact(std::complex<T> z) {
  return {static_cast<long double>(z.real()), static_cast<long double>(z.imag())};
}

/// Within `ulps` of the size of the exact number.
template <class T>
void expect_near(std::complex<T> found, Exact want, double ulps, const std::string& what) {
  const long double bound = static_cast<long double>(ulps) *
                            static_cast<long double>(std::numeric_limits<T>::epsilon()) * std::abs(want);
  EXPECT_LE(std::abs(exact(found) - want), bound) << what << " = " << found << ", not " << want;
}

template <class F>
void for_both(F f) {
  f(float(), DType::complex64);
  f(double(), DType::complex128);
}

struct Function {
  UnaryFn fn;
  std::function<Exact(Exact)> exact;
  /// How much a rounding inside is worth in the result.
  std::function<double(Exact)> amplified = [](Exact) { return 1.0; };
};

double of_logistic(Exact z) {
  return 1 + static_cast<double>(std::abs(std::exp(-z) / (1.0L + std::exp(-z))));
}

// Bounds as for real functions (elementwise.hpp), and as many more for the parts that go into each.
TEST(complex_functions, are_near_those_of_long_double) {
  const std::vector<Function> functions{{UnaryFn::neg, [](Exact z) { return -z; }},
                                        {UnaryFn::exp, [](Exact z) { return std::exp(z); }},
                                        {UnaryFn::log, [](Exact z) { return std::log(z); }},
                                        {UnaryFn::tanh, [](Exact z) { return std::tanh(z); }},
                                        {UnaryFn::sqrt, [](Exact z) { return std::sqrt(z); }},
                                        {UnaryFn::rsqrt, [](Exact z) { return 1.0L / std::sqrt(z); }},
                                        {UnaryFn::logistic,
                                         [](Exact z) { return 1.0L / (1.0L + std::exp(-z)); }, of_logistic},
                                        {UnaryFn::sin, [](Exact z) { return std::sin(z); }},
                                        {UnaryFn::cos, [](Exact z) { return std::cos(z); }},
                                        {UnaryFn::log1p, [](Exact z) { return std::log(1.0L + z); }},
                                        {UnaryFn::expm1, [](Exact z) { return std::exp(z) - 1.0L; }},
                                        {UnaryFn::tan, [](Exact z) { return std::tan(z); }},
                                        {UnaryFn::asin, [](Exact z) { return std::asin(z); }},
                                        {UnaryFn::acos, [](Exact z) { return std::acos(z); }},
                                        {UnaryFn::atan, [](Exact z) { return std::atan(z); }},
                                        {UnaryFn::sinh, [](Exact z) { return std::sinh(z); }},
                                        {UnaryFn::cosh, [](Exact z) { return std::cosh(z); }},
                                        {UnaryFn::asinh, [](Exact z) { return std::asinh(z); }},
                                        {UnaryFn::acosh, [](Exact z) { return std::acosh(z); }},
                                        {UnaryFn::atanh, [](Exact z) { return std::atanh(z); }},
                                        {UnaryFn::sign, [](Exact z) { return z / std::abs(z); }}};
  for_both([&]<class T>(T, DType dtype) {
    const auto z = spread<T>(1000, 4);
    for (const Function& function : functions) {
      std::vector<std::complex<T>> found(z.size());
      const std::byte* in = bytes(z);
      unary_kernel(function.fn, dtype)(bytes(found), &in, std::int64_t(z.size()));
      for (std::size_t i = 0; i < z.size(); ++i)
        expect_near(found[i], function.exact(exact(z[i])), 8 * function.amplified(exact(z[i])),
                    std::string(name(function.fn)));
    }
  });
}

TEST(complex_functions, keep_their_digits_near_0) {
  for_both([]<class T>(T, DType dtype) {
    const std::complex<T> z{std::numeric_limits<T>::epsilon() / 8, std::numeric_limits<T>::epsilon() / 16};
    for (UnaryFn fn : {UnaryFn::log1p, UnaryFn::expm1}) {
      std::complex<T> found;
      const std::byte* in = reinterpret_cast<const std::byte*>(&z);
      unary_kernel(fn, dtype)(bytes_of(found), &in, 1);
      expect_near(found, exact(z), 2, std::string(name(fn)));
    }
  });
}

TEST(complex_functions, of_parts_are_real) {
  for_both([]<class T>(T, DType dtype) {
    const std::vector<std::complex<T>> z{{3, -4}, {-0.5, 0}, {0, 2}};
    const std::vector<T> real{3, -0.5, 0}, imag{-4, 0, 2}, size{5, 0.5, 2};
    std::vector<T> found(3);
    const std::byte* in = bytes(z);
    unary_kernel(UnaryFn::real, dtype)(bytes(found), &in, 3);
    EXPECT_EQ(found, real);
    unary_kernel(UnaryFn::imag, dtype)(bytes(found), &in, 3);
    EXPECT_EQ(found, imag);
    unary_kernel(UnaryFn::abs, dtype)(bytes(found), &in, 3);
    EXPECT_EQ(found, size);
    std::vector<std::complex<T>> again(3);
    const std::byte* const parts[] = {bytes(real), bytes(imag)};
    binary_kernel(BinaryFn::complex, part_of(dtype), Stride::dense, Stride::dense)(bytes(again), parts, 3);
    EXPECT_EQ(again, z);
  });
}

TEST(complex_arithmetic, is_near_that_of_long_double) {
  for_both([]<class T>(T, DType dtype) {
    const auto a = spread<T>(500, 1), b = spread<T>(500, 2);
    const std::byte* const in[] = {bytes(a), bytes(b)};
    auto check = [&](BinaryFn fn, auto ulps, auto exactly) {
      for (Stride step : {Stride::dense, Stride::scalar}) {
        std::vector<std::complex<T>> found(a.size());
        binary_kernel(fn, dtype, step, Stride::dense)(bytes(found), in, 500);
        for (std::size_t i = 0; i < a.size(); ++i) {
          const Exact x = exact(a[step == Stride::dense ? i : 0]), y = exact(b[i]);
          expect_near(found[i], exactly(x, y), ulps(x, y), std::string(name(fn)));
        }
      }
    };
    auto always = [](double ulps) { return [ulps](Exact, Exact) { return ulps; }; };
    check(BinaryFn::add, always(1), [](Exact x, Exact y) { return x + y; });
    check(BinaryFn::sub, always(1), [](Exact x, Exact y) { return x - y; });
    check(BinaryFn::mul, always(3), [](Exact x, Exact y) { return x * y; });
    check(BinaryFn::div, always(6), [](Exact x, Exact y) { return x / y; });
    auto of_exponent = [](Exact x, Exact y) {
      return 4 + 4 * static_cast<double>(std::abs(y * std::log(x)));
    };
    check(BinaryFn::pow, of_exponent, [](Exact x, Exact y) { return std::pow(x, y); });
  });
}

TEST(complex_arithmetic, knows_the_powers_of_and_to_0) {
  const std::complex<double> zero = 0, z{2, -1};
  auto power = [](std::complex<double> base, std::complex<double> exponent) {
    const std::byte* const in[] = {reinterpret_cast<std::byte*>(&base),
                                   reinterpret_cast<std::byte*>(&exponent)};
    std::complex<double> found;
    binary_kernel(BinaryFn::pow, DType::complex128, Stride::dense, Stride::dense)(bytes_of(found), in, 1);
    return found;
  };
  EXPECT_EQ(power(zero, zero), 1.0);
  EXPECT_EQ(power(z, zero), 1.0);
  EXPECT_EQ(power(zero, z), 0.0);
}

TEST(complex_numbers, are_equal_or_not_and_have_no_order) {
  const std::vector<std::complex<float>> a{{1, 2}, {1, 2}, {NAN, 0}}, b{{1, 2}, {1, -2}, {NAN, 0}};
  const std::byte* const in[] = {bytes(a), bytes(b)};
  std::vector<std::uint8_t> found(3);
  compare_kernel(CompareDirection::eq, DType::complex64, Stride::dense, Stride::dense)(bytes(found), in, 3);
  EXPECT_EQ(found, (std::vector<std::uint8_t>{1, 0, 0}));
  compare_kernel(CompareDirection::ne, DType::complex64, Stride::dense, Stride::dense)(bytes(found), in, 3);
  EXPECT_EQ(found, (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_THROW(compare_kernel(CompareDirection::lt, DType::complex64, Stride::dense, Stride::dense), Error);
  EXPECT_THROW(clamp_kernel(DType::complex64, Stride::dense, Stride::dense, Stride::dense), Error);
  EXPECT_THROW(binary_kernel(BinaryFn::maximum, DType::complex64, Stride::dense, Stride::dense), Error);
  EXPECT_EQ(fold_kernel(ReduceKind::max, DType::complex64), nullptr);
}

TEST(complex_numbers, are_selected_and_copied_whole) {
  const auto a = spread<double>(70, 1), b = spread<double>(70, 2);
  const auto chooser = spread_values<bool>(70, 3);
  for (Stride step : {Stride::dense, Stride::scalar}) {
    std::vector<std::complex<double>> found(70), filled(70);
    const std::byte* const in[] = {bytes(chooser), bytes(a), bytes(b)};
    select_kernel(DType::complex128, Stride::dense, step, Stride::dense)(bytes(found), in, 70);
    for (std::size_t i = 0; i < 70; ++i)
      EXPECT_EQ(found[i], chooser[i] ? a[step == Stride::dense ? i : 0] : b[i]);
    fill(bytes(filled), bytes(a), 70, 16);
    EXPECT_EQ(filled, std::vector(70, a[0]));
  }
}

TEST(complex_sums, are_those_of_the_parts) {
  for_both([]<class T>(T, DType dtype) {
    constexpr std::int64_t bytes_each = 2 * sizeof(T);
    for (std::int64_t n : {1, 2, 5, 16, 100, 511, 512, 513, 2000}) {
      const auto z = spread<T>(std::size_t(n), 6);
      Exact sum = 0;
      long double magnitude = 0;
      for (auto x : z) sum += exact(x), magnitude += std::abs(exact(x));
      std::complex<T> rows, columns, folded;
      reduce_rows_kernel(ReduceKind::sum, dtype)(bytes_of(rows), bytes(z), 1, n, n * bytes_each);
      std::vector<std::byte> scratch(reduce_columns_scratch_bytes(n, 1, dtype));
      reduce_columns_kernel(ReduceKind::sum, dtype)(bytes_of(columns), bytes(z), n, 1, bytes_each,
                                                    scratch.data());
      std::vector<const std::byte*> terms;
      for (const auto& x : z) terms.push_back(reinterpret_cast<const std::byte*>(&x));
      fold_kernel(ReduceKind::sum, dtype)(bytes_of(folded), terms.data(), int(n), 1, Load::plain,
                                          Store::plain);
      std::vector<std::complex<T>> sums(z.size());
      cumulative(bytes(sums), bytes(z), {1, n, 1}, dtype, CumulativeKind::sum, Order::forward);
      const long double bound = 2 * std::ceil(std::log2(static_cast<long double>(n))) *
                                std::numeric_limits<T>::epsilon() * magnitude;
      for (auto found : {rows, columns, folded, sums.back()})
        EXPECT_LE(std::abs(exact(found) - sum), bound) << n;
    }
    std::complex<T> nothing{1, 1};
    reduce_rows_kernel(ReduceKind::sum, dtype)(bytes_of(nothing), nullptr, 1, 0, 0);
    EXPECT_EQ(nothing, std::complex<T>());
  });
}

TEST(complex_products, are_never_conjugated) {
  for_both([]<class T>(T, DType dtype) {
    for (bool transposed : {false, true}) {
      const ProductShape s{
          .batch = 2, .m = 3, .n = 4, .k = 50, .a_transposed = transposed, .b_transposed = transposed};
      const auto a = spread<T>(2 * 3 * 50, 1), b = spread<T>(2 * 50 * 4, 2);
      std::vector<std::complex<T>> c(2 * 3 * 4);
      Product(dtype, s).run(bytes(c), bytes(a), bytes(b), nullptr);
      for (std::int64_t at = 0; at < 24; ++at) {
        const std::int64_t batch = at / 12, i = at % 12 / 4, j = at % 4;
        Exact sum = 0;
        long double magnitude = 0;
        for (std::int64_t k = 0; k < 50; ++k) {
          const Exact x = exact(a[std::size_t(batch * 150 + (transposed ? k * 3 + i : i * 50 + k))]),
                      y = exact(b[std::size_t(batch * 200 + (transposed ? j * 50 + k : k * 4 + j))]);
          sum += x * y;
          magnitude += std::abs(x) * std::abs(y);
        }
        EXPECT_LE(std::abs(exact(c[std::size_t(at)]) - sum),
                  52 * std::numeric_limits<T>::epsilon() * magnitude);
      }
    }
  });
}

TEST(complex_numbers, convert_by_their_real_part) {
  const std::vector<std::complex<double>> z{{2.5, 7}, {0, 3}, {-1e10, 0}};
  const std::byte* in = bytes(z);
  std::vector<std::int32_t> integers(3);
  convert_kernel(DType::complex128, DType::i32)(bytes(integers), &in, 3);
  EXPECT_EQ(integers, (std::vector<std::int32_t>{2, 0, std::numeric_limits<std::int32_t>::min()}));
  std::vector<std::uint8_t> bools(3);
  convert_kernel(DType::complex128, DType::boolean)(bytes(bools), &in, 3);
  EXPECT_EQ(bools, (std::vector<std::uint8_t>{1, 0, 1}));
  std::vector<std::complex<float>> narrow(3);
  convert_kernel(DType::complex128, DType::complex64)(bytes(narrow), &in, 3);
  EXPECT_EQ(narrow, (std::vector<std::complex<float>>{{2.5F, 7}, {0, 3}, {-1e10F, 0}}));
  const std::vector<bf16> halves{bf16(1.5F)};
  in = bytes(halves);
  convert_kernel(DType::bf16, DType::complex64)(bytes(narrow), &in, 1);
  EXPECT_EQ(narrow[0], std::complex<float>(1.5F, 0));
}

TEST(complex_functions, are_right_at_the_edges) {
  const float infinity = std::numeric_limits<float>::infinity(), large = 3e38F;
  struct Edge {
    UnaryFn fn;
    std::complex<float> z, expected;
  };
  const float diagonal = 0.70710678F;
  const std::vector<Edge> edges{
      {UnaryFn::expm1, {800, 0}, {infinity, 0}},
      {UnaryFn::exp, {800, 0}, {infinity, 0}},
      {UnaryFn::sign, {large, large}, {diagonal, diagonal}},
      {UnaryFn::sign, {0, 0}, {0, 0}},
      {UnaryFn::sqrt, {-4, 0}, {0, 2}},
      {UnaryFn::sqrt, {-4, -0.0F}, {0, -2}},
      {UnaryFn::log, {-1, 0}, {0, 3.14159265F}},
      {UnaryFn::log, {-1, -0.0F}, {0, -3.14159265F}},
      {UnaryFn::tanh, {200, 1}, {1, 0}},
  };
  for (const Edge& edge : edges) {
    std::complex<float> found;
    const auto* in = reinterpret_cast<const std::byte*>(&edge.z);
    unary_kernel(edge.fn, DType::complex64)(reinterpret_cast<std::byte*>(&found), &in, 1);
    EXPECT_EQ(found, edge.expected) << name(edge.fn) << " of " << edge.z;
  }
}

// The numbers come from arithmetic of 400 digits.
TEST(complex_functions, of_f64_keep_digits_where_terms_cancel_and_parts_overflow) {
  const double infinity = std::numeric_limits<double>::infinity(), largest = 1.7e308, least = 5e-324;
  const double diagonal = std::sqrt(0.5);
  struct Edge {
    UnaryFn fn;
    std::complex<double> z;
    std::optional<double> real, imag;  // none: not looked at
  };
  const std::vector<Edge> edges{
      {UnaryFn::log1p, {-0x1p-10, 0.04418}, -1.494628641361508e-07, {}},
      {UnaryFn::log1p, {-0.5, 0.8660254037844386}, -4.345318932600586e-17, {}},
      {UnaryFn::log1p, {-1.1, 0.99498743710662}, 1.9294021830386352e-17, {}},
      {UnaryFn::log1p, {-2, 1e-9}, 5e-19, {}},
      {UnaryFn::log1p, {-1 + 0x1p-50, 0}, -34.657359027997264, 0},
      {UnaryFn::log1p, {1e200, 1e200}, 460.8635921890891, 0.7853981633974483},
      {UnaryFn::expm1, {710, 1e-3}, infinity, 2.2339943938292686e+305},
      {UnaryFn::expm1, {800, 1e-300}, infinity, 2.7263745721125668e+47},
      {UnaryFn::expm1, {800, 0}, infinity, 0},
      {UnaryFn::expm1, {50, 2}, -2.1575988041499898e+21, 4.7144393959931107e+21},
      {UnaryFn::sign, {largest, -largest}, diagonal, -diagonal},
      {UnaryFn::sign, {least, least}, diagonal, diagonal},
      {UnaryFn::sign, {3e-320, 0}, 1, 0},
  };
  for (const Edge& edge : edges) {
    std::complex<double> found;
    const auto* in = reinterpret_cast<const std::byte*>(&edge.z);
    unary_kernel(edge.fn, DType::complex128)(bytes_of(found), &in, 1);
    auto expect = [&](double part, std::optional<double> want) {
      if (!want) return;
      if (std::isinf(*want)) EXPECT_EQ(part, *want) << name(edge.fn) << " of " << edge.z;
      else
        EXPECT_NEAR(part, *want, 8 * std::numeric_limits<double>::epsilon() * std::abs(*want))
            << name(edge.fn) << " of " << edge.z;
    };
    expect(found.real(), edge.real);
    expect(found.imag(), edge.imag);
  }
}

}  // namespace
}  // namespace tutti
