// SPDX-License-Identifier: Apache-2.0
// f16 and bf16: every kernel computes in f32, or adds up in f32, and rounds once. The reference rounds by
// searching the list of all numbers that the dtype has.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"
#include "tutti/tensor/loops/plain/sorting.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/products/product.hpp"

namespace tutti {
namespace {

/// The value of the bits, from the definition: a sign, exponent and fraction.
template <class H>
double value_of(std::uint16_t bits) {
  constexpr int fraction_bits = std::same_as<H, f16> ? 10 : 7, exponent_bits = 15 - fraction_bits;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1, last_exponent = (1 << exponent_bits) - 1;
  const int exponent = bits >> fraction_bits & last_exponent, fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == last_exponent)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

/// The nearest one, of two the one with even bits. Beyond the largest comes what would be the next number, as
/// infinity.
template <class H>
std::uint16_t nearest(long double x) {
  static const auto numbers = [] {
    std::map<long double, std::uint16_t> all;
    std::uint16_t bits = 0;
    for (; std::isfinite(value_of<H>(bits)); ++bits) all[static_cast<long double>(value_of<H>(bits))] = bits;
    const auto last = static_cast<std::uint16_t>(bits - 1), before = static_cast<std::uint16_t>(bits - 2);
    all[2 * static_cast<long double>(value_of<H>(last)) - static_cast<long double>(value_of<H>(before))] =
        bits;
    return all;
  }();
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const long double size = std::fabs(x);
  auto above = numbers.lower_bound(size);
  if (above == numbers.end()) return static_cast<std::uint16_t>(sign | numbers.rbegin()->second);
  if (above->first == size) return static_cast<std::uint16_t>(sign | above->second);
  const auto below = std::prev(above);
  const long double up = above->first - size, down = size - below->first;
  const bool takes_above = up < down || (up == down && above->second % 2 == 0);
  return static_cast<std::uint16_t>(sign | (takes_above ? above : below)->second);
}

template <class H>
bool is_nan(H x) {
  return std::isnan(value_of<H>(x.bits));
}

/// A few thousand bit patterns of all sizes and signs: edges, and every 13th.
template <class H>
std::vector<H> many() {
  std::vector<H> all;
  for (int bits = 0; bits < 0x10000; bits += 13)
    all.push_back(std::bit_cast<H>(static_cast<std::uint16_t>(bits)));
  for (float x : {0.0F, -0.0F, 1.0F, -1.0F, std::numeric_limits<float>::infinity(),
                  -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    all.push_back(H(x));
  return all;
}

/// `n` numbers in [-2, 2].
template <class H>
std::vector<H> small(std::size_t n, std::uint64_t seed) {
  std::vector<H> values;
  for (float x : spread_values<float>(n, seed)) values.push_back(H(std::fmod(x, 2.0F)));
  return values;
}

template <class H>
std::vector<float> widened(const std::vector<H>& values) {
  std::vector<float> wide;
  for (H x : values) wide.push_back(static_cast<float>(value_of<H>(x.bits)));
  return wide;
}

template <class H>
void expect_rounded(const std::vector<H>& found, const std::vector<float>& wide, std::string_view what) {
  ASSERT_EQ(found.size(), wide.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(wide[i])) EXPECT_TRUE(is_nan(found[i])) << what << " element " << i;
    else
      EXPECT_EQ(found[i].bits, nearest<H>(static_cast<long double>(wide[i])))
          << what << " element " << i << ": " << wide[i];
  }
}

template <class F>
void for_both(F f) {
  f(f16(), DType::f16);
  f(bf16(), DType::bf16);
}

class half_on : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(all, half_on, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

TEST(half, has_the_value_that_its_bits_say) {
  for_both([]<class H>(H, DType) {
    for (int bits = 0; bits < 0x10000; ++bits) {
      const auto h = std::bit_cast<H>(static_cast<std::uint16_t>(bits));
      const auto want = static_cast<float>(value_of<H>(h.bits)), found = static_cast<float>(h);
      EXPECT_TRUE(same_element(found, want)) << bits << ": " << found << ", not " << want;
    }
  });
}

TEST(half, is_rounded_once_from_every_dtype) {
  const std::vector<double> doubles{1 + 0x1p-11,
                                    1 + 0x1p-11 + 0x1p-40,
                                    1 - 0x1p-12,
                                    1 + 0x1p-8 + 0x1p-50,
                                    0x1p-25,
                                    0x1p-25 + 0x1p-70,
                                    0x1p-24,
                                    65504,
                                    65519.999999,
                                    65520,
                                    3.3961e38,
                                    1e300,
                                    -0.0,
                                    0x1p-134,
                                    0x1.8p-133,
                                    -1 - 0x1p-8,
                                    0x1p-134 + 0x1p-160,
                                    3 * 0x1p-26,
                                    -5 * 0x1p-26,
                                    0x1p-300};
  for_both([&]<class H>(H, DType dtype) {
    std::vector<H> found(doubles.size());
    const std::byte* in = bytes(doubles);
    convert_kernel(DType::f64, dtype)(bytes(found), &in, std::int64_t(found.size()));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i].bits, nearest<H>(static_cast<long double>(doubles[i]))) << doubles[i];
    std::vector<std::int64_t> integers{0, 1, -1, 257, 65519, 65520};
    integers.push_back((std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1);
    integers.push_back(-(std::int64_t{1} << 60) - (std::int64_t{1} << 52) - 1);
    integers.push_back(std::numeric_limits<std::int64_t>::max());
    found.resize(integers.size());
    in = bytes(integers);
    convert_kernel(DType::i64, dtype)(bytes(found), &in, std::int64_t(found.size()));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i].bits, nearest<H>(static_cast<long double>(integers[i]))) << integers[i];
  });
}

TEST_P(half_on, functions_are_those_of_f32_rounded_once) {
  const UseInstructionSet use(GetParam());
  for_both([]<class H>(H, DType dtype) {
    const std::vector<H> x = many<H>();
    const std::vector<float> wide = widened(x);
    const auto n = std::int64_t(x.size());
    for (UnaryFn fn :
         {UnaryFn::neg,     UnaryFn::exp,      UnaryFn::log,   UnaryFn::tanh,    UnaryFn::sqrt,
          UnaryFn::rsqrt,   UnaryFn::logistic, UnaryFn::abs,   UnaryFn::sign,    UnaryFn::sin,
          UnaryFn::log1p,   UnaryFn::expm1,    UnaryFn::erf,   UnaryFn::erf_inv, UnaryFn::xla_erf_inv,
          UnaryFn::exp2,    UnaryFn::log2,     UnaryFn::log10, UnaryFn::tan,     UnaryFn::asin,
          UnaryFn::acos,    UnaryFn::atan,     UnaryFn::sinh,  UnaryFn::cosh,    UnaryFn::asinh,
          UnaryFn::acosh,   UnaryFn::atanh,    UnaryFn::cbrt,  UnaryFn::erfc,    UnaryFn::lgamma,
          UnaryFn::digamma, UnaryFn::trigamma, UnaryFn::round, UnaryFn::floor,   UnaryFn::ceil}) {
      std::vector<H> found(x.size());
      std::vector<float> want(x.size());
      const std::byte *in = bytes(x), *in_wide = bytes(wide);
      unary_kernel(fn, dtype)(bytes(found), &in, n);
      unary_kernel(fn, DType::f32)(bytes(want), &in_wide, n);
      expect_rounded(found, want, name(fn));
    }
  });
}

TEST_P(half_on, functions_of_two_are_those_of_f32_rounded_once) {
  const UseInstructionSet use(GetParam());
  for_both([]<class H>(H, DType dtype) {
    std::vector<H> a = many<H>(), b = a;
    std::rotate(b.begin(), b.begin() + 777, b.end());
    const std::vector<float> wide_a = widened(a), wide_b = widened(b);
    const auto n = std::int64_t(a.size());
    const std::byte *in[] = {bytes(a), bytes(b)}, *in_wide[] = {bytes(wide_a), bytes(wide_b)};
    for (BinaryFn fn : {BinaryFn::add, BinaryFn::sub, BinaryFn::mul, BinaryFn::div, BinaryFn::rem,
                        BinaryFn::pow, BinaryFn::atan2, BinaryFn::maximum, BinaryFn::minimum})
      for (Stride step : {Stride::dense, Stride::scalar}) {
        std::vector<H> found(a.size());
        std::vector<float> want(a.size());
        binary_kernel(fn, dtype, Stride::dense, step)(bytes(found), in, n);
        binary_kernel(fn, DType::f32, Stride::dense, step)(bytes(want), in_wide, n);
        expect_rounded(found, want, name(fn));
      }
  });
}

TEST_P(half_on, comparisons_and_clamps_are_exact) {
  const UseInstructionSet use(GetParam());
  for_both([]<class H>(H, DType dtype) {
    std::vector<H> a = many<H>(), b = a, c = a;
    std::rotate(b.begin(), b.begin() + 777, b.end());
    std::rotate(c.begin(), c.begin() + 1777, c.end());
    const std::vector<float> x = widened(a), y = widened(b), z = widened(c);
    const auto n = std::int64_t(a.size());
    const std::byte *in[] = {bytes(a), bytes(b), bytes(c)}, *in_wide[] = {bytes(x), bytes(y), bytes(z)};
    std::vector<std::uint8_t> less(a.size());
    compare_kernel(CompareDirection::lt, dtype, Stride::dense, Stride::dense)(bytes(less), in, n);
    for (std::size_t i = 0; i < less.size(); ++i) EXPECT_EQ(less[i], x[i] < y[i]) << x[i] << ' ' << y[i];
    std::vector<H> found(a.size());
    std::vector<float> want(a.size());
    clamp_kernel(dtype, Stride::dense, Stride::dense, Stride::dense)(bytes(found), in, n);
    clamp_kernel(DType::f32, Stride::dense, Stride::dense, Stride::dense)(bytes(want), in_wide, n);
    expect_rounded(found, want, "clamp");
  });
}

/// True if `found` is `exact` rounded, or the next number where the sum in f32, off by this bound,
/// rounds.
template <class H>
void expect_sum(H found, double exact, double magnitude, std::int64_t n, std::string_view what) {
  const double off = 2 * std::ceil(std::log2(double(n) + 1)) * 0x1p-24 * magnitude;
  const std::uint16_t low = nearest<H>(static_cast<long double>(exact - off)),
                      high = nearest<H>(static_cast<long double>(exact + off));
  EXPECT_TRUE(value_of<H>(low) <= value_of<H>(found.bits) && value_of<H>(found.bits) <= value_of<H>(high))
      << what << " of " << n << " is " << value_of<H>(found.bits) << ", exactly " << exact;
}

TEST_P(half_on, sums_are_rounded_once) {
  const UseInstructionSet use(GetParam());
  for_both([]<class H>(H, DType dtype) {
    for (std::int64_t n : {1, 2, 3, 15, 17, 100, 1023, 1024, 1025, 5000}) {
      const std::vector<H> x = small<H>(std::size_t(n), 5);
      const std::vector<float> wide = widened(x);
      double exact = 0, magnitude = 0;
      for (float v : wide) exact += double(v), magnitude += std::abs(double(v));
      H rows{}, columns{}, folded{};
      std::vector<std::byte> scratch(reduce_columns_scratch_bytes(n, 1, dtype) + 64);
      reduce_rows_kernel(ReduceKind::sum, dtype)(bytes_of(rows), bytes(x), 1, n, 2 * n);
      reduce_columns_kernel(ReduceKind::sum, dtype)(bytes_of(columns), bytes(x), n, 1, 2, scratch.data());
      std::vector<const std::byte*> terms;
      for (const H& term : x) terms.push_back(reinterpret_cast<const std::byte*>(&term));
      fold_kernel(ReduceKind::sum, dtype)(bytes_of(folded), terms.data(), int(n), 1, Load::plain,
                                          Store::plain);
      expect_sum(rows, exact, magnitude, n, "the row");
      expect_sum(columns, exact, magnitude, n, "the column");
      expect_sum(folded, exact, magnitude, n, "the fold");
      std::vector<H> running(x.size());
      cumulative(bytes(running), bytes(x), {1, n, 1}, dtype, CumulativeKind::sum, Order::forward);
      expect_sum(running.back(), exact, magnitude, n, "the running sum");
    }
  });
}

TEST_P(half_on, sums_of_ones_count_further_than_the_dtype_itself) {
  const UseInstructionSet use(GetParam());
  const std::vector<bf16> ones(1000, bf16(1.0F));  // 256 + 1 is 256 in bf16
  std::vector<const std::byte*> terms(1000, bytes(ones));
  bf16 rows{}, folded{};
  reduce_rows_kernel(ReduceKind::sum, DType::bf16)(bytes_of(rows), bytes(ones), 1, 1000, 2000);
  fold_kernel(ReduceKind::sum, DType::bf16)(bytes_of(folded), terms.data(), 1000, 1, Load::plain,
                                            Store::plain);
  EXPECT_EQ(static_cast<float>(rows), 1000);
  EXPECT_EQ(static_cast<float>(folded), 1000);
}

TEST_P(half_on, columns_and_positions_are_the_same_whatever_stands_beside_them) {
  const UseInstructionSet use(GetParam());
  for_both([]<class H>(H, DType dtype) {
    constexpr std::int64_t rows = 11, columns = 150;
    const std::vector<H> x = small<H>(rows * columns, 8);
    for (ReduceKind kind : {ReduceKind::sum, ReduceKind::max, ReduceKind::min}) {
      std::vector<H> all(columns), one(columns), folded(columns);
      std::vector<std::byte> scratch(reduce_columns_scratch_bytes(rows, columns, dtype));
      const auto reduce = reduce_columns_kernel(kind, dtype);
      reduce(bytes(all), bytes(x), rows, columns, 2 * columns, scratch.data());
      std::vector<const std::byte*> lines;
      for (std::int64_t r = 0; r < rows; ++r) lines.push_back(bytes(x) + 2 * r * columns);
      fold_kernel(kind, dtype)(bytes(folded), lines.data(), rows, columns, Load::plain, Store::plain);
      for (std::int64_t c = 0; c < columns; ++c) {
        reduce(bytes(one) + 2 * c, bytes(x) + 2 * c, rows, 1, 2 * columns, scratch.data());
        EXPECT_EQ(all[std::size_t(c)].bits, one[std::size_t(c)].bits) << name(kind) << ' ' << c;
        EXPECT_EQ(all[std::size_t(c)].bits, folded[std::size_t(c)].bits) << name(kind) << ' ' << c;
      }
    }
  });
}

TEST(half, reductions_of_nothing_are_neutral) {
  for_both([]<class H>(H, DType dtype) {
    for (ReduceKind kind : {ReduceKind::sum, ReduceKind::max, ReduceKind::min}) {
      H rows{}, columns{}, neutral{};
      write_neutral_element(kind, dtype, bytes_of(neutral));
      reduce_rows_kernel(kind, dtype)(bytes_of(rows), nullptr, 1, 0, 0);
      reduce_columns_kernel(kind, dtype)(bytes_of(columns), nullptr, 0, 1, 2, nullptr);
      EXPECT_EQ(rows.bits, neutral.bits) << name(kind);
      EXPECT_EQ(columns.bits, neutral.bits) << name(kind);
    }
    EXPECT_EQ(reduce_rows_kernel(ReduceKind::logical_and, dtype), nullptr);
  });
}

TEST(half, products_are_rounded_once) {
  for_both([]<class H>(H, DType dtype) {
    for (bool transposed : {false, true}) {
      const ProductShape s{
          .batch = 2, .m = 5, .n = 9, .k = 300, .a_transposed = transposed, .b_transposed = !transposed};
      const std::vector<H> a = small<H>(2 * 5 * 300, 1), b = small<H>(2 * 300 * 9, 2);
      std::vector<H> c(2 * 5 * 9);
      const Product product(dtype, s);
      std::vector<std::byte> scratch(product.scratch_bytes());
      product.run(bytes(c), bytes(a), bytes(b), scratch.data());
      const std::vector<float> x = widened(a), y = widened(b);
      for (std::int64_t at = 0; at < 2 * 5 * 9; ++at) {
        const std::int64_t batch = at / 45, i = at % 45 / 9, j = at % 9;
        double exact = 0, magnitude = 0;
        for (std::int64_t k = 0; k < 300; ++k) {
          const float p = x[std::size_t(batch * 1500 + (transposed ? k * 5 + i : i * 300 + k))],
                      q = y[std::size_t(batch * 2700 + (transposed ? k * 9 + j : j * 300 + k))];
          exact += double(p) * double(q);
          magnitude += std::abs(double(p) * double(q));
        }
        expect_sum(c[std::size_t(at)], exact, magnitude * 301 / 18, 300,
                   "the product");  // any order of additions
      }
    }
  });
}

TEST(half, order_puts_nan_last_and_finds_the_first_extreme) {
  for_both([]<class H>(H, DType dtype) {
    std::vector<H> x;
    for (float v : {2.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), 2.0F, -0.0F, 0.0F})
      x.push_back(H(v));
    std::vector<std::int64_t> order(6);
    const SortKeys keys[] = {{bytes(x), 1, dtype}};
    std::vector<std::byte> scratch(sorting_scratch_bytes(6, 2));
    sorted_order(order, keys, scratch.data());
    EXPECT_EQ(order, (std::vector<std::int64_t>{1, 4, 5, 0, 3, 2}));
    std::int32_t first = -1;
    index_of_extreme(bytes_of(first), bytes(x), {1, 6, 1}, dtype, Extreme::largest, DType::i32);
    EXPECT_EQ(first, 2);
    index_of_extreme(bytes_of(first), bytes(x), {1, 2, 1}, dtype, Extreme::smallest, DType::i32);
    EXPECT_EQ(first, 1);
  });
}

}  // namespace
}  // namespace tutti
