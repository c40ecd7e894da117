// SPDX-License-Identifier: Apache-2.0
// Exact results of the functions that have one, over the square of the edge values, on every instruction set.
// The expectations are written from the definitions, not from the library's code.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <tuple>

#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/instruction_set.hpp"

namespace tutti {
namespace {

constexpr std::array binary_fns{BinaryFn::add,
                                BinaryFn::sub,
                                BinaryFn::mul,
                                BinaryFn::div,
                                BinaryFn::pow,
                                BinaryFn::maximum,
                                BinaryFn::minimum,
                                BinaryFn::rem,
                                BinaryFn::logical_and,
                                BinaryFn::logical_or,
                                BinaryFn::logical_xor,
                                BinaryFn::atan2,
                                BinaryFn::shift_left,
                                BinaryFn::shift_right_arithmetic,
                                BinaryFn::shift_right_logical};

__extension__ typedef __int128 Exact;  // holds every sum and product of two i64
__extension__ typedef unsigned __int128 Modular;

/// The low bits of an exact integer result.
template <class T>
T wrapped(Exact exact) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(static_cast<Modular>(exact)));
}

// Exponents are large: the power is computed modulo 2^bits, by squaring.
template <class T>
T expected_integer_pow(T base, T exponent) {
  const T minus_one = static_cast<T>(-1);
  if (std::signed_integral<T> && exponent < 0)
    return base == 1 ? T{1} : base != minus_one ? T{0} : exponent % 2 == 0 ? T{1} : minus_one;
  Modular power = 1, square = static_cast<Modular>(static_cast<Exact>(base));
  for (auto left = static_cast<std::uint64_t>(exponent); left != 0; left >>= 1, square *= square)
    if (left & 1) power *= square;
  return wrapped<T>(static_cast<Exact>(power));
}

template <class T>
T expected_integer(BinaryFn fn, T a, T b) {
  const Exact x = a, y = b;
  using U = std::make_unsigned_t<T>;
  constexpr T bits = 8 * sizeof(T);
  switch (fn) {
    case BinaryFn::add: return wrapped<T>(x + y);
    case BinaryFn::sub: return wrapped<T>(x - y);
    case BinaryFn::mul:
      return wrapped<T>(static_cast<Exact>(static_cast<Modular>(x) * static_cast<Modular>(y)));
    case BinaryFn::div: return y == 0 ? static_cast<T>(-1) : wrapped<T>(x / y);
    case BinaryFn::rem: return y == 0 ? a : wrapped<T>(x % y);
    case BinaryFn::pow: return expected_integer_pow(a, b);
    case BinaryFn::maximum: return x > y ? a : b;
    case BinaryFn::minimum: return x < y ? a : b;
    case BinaryFn::logical_and: return static_cast<T>(a & b);
    case BinaryFn::logical_or: return static_cast<T>(a | b);
    case BinaryFn::logical_xor: return static_cast<T>(a ^ b);
    case BinaryFn::shift_left: return b < 0 || b >= bits ? T{0} : wrapped<T>(x << b);
    case BinaryFn::shift_right_arithmetic:  // the upper bit is the sign, whatever the type
      return wrapped<T>(Exact{static_cast<std::make_signed_t<T>>(a)} >> (b < 0 || b >= bits ? 64 : b));
    case BinaryFn::shift_right_logical:
      return b < 0 || b >= bits ? T{0} : wrapped<T>(static_cast<Exact>(U(a)) >> b);
    case BinaryFn::atan2:
    case BinaryFn::complex: break;
  }
  return 0;
}

bool expected_bool(BinaryFn fn, bool a, bool b) {
  switch (fn) {
    case BinaryFn::add:
    case BinaryFn::maximum:
    case BinaryFn::logical_or: return a || b;
    case BinaryFn::logical_xor: return a != b;
    default: return a && b;
  }
}

template <class T>
T expected_float(BinaryFn fn, T a, T b) {
  switch (fn) {
    case BinaryFn::add: return a + b;
    case BinaryFn::sub: return a - b;
    case BinaryFn::mul: return a * b;
    case BinaryFn::div: return a / b;
    case BinaryFn::rem: return std::fmod(a, b);
    case BinaryFn::pow: return std::pow(a, b);
    case BinaryFn::atan2: return std::atan2(a, b);
    case BinaryFn::maximum:
      if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
      if (a == 0 && b == 0) return std::signbit(a) && std::signbit(b) ? -T{0} : T{0};
      return a < b ? b : a;
    case BinaryFn::minimum: return -expected_float(BinaryFn::maximum, -a, -b);
    default: return 0;
  }
}

template <class T>
T expected(BinaryFn fn, T a, T b) {
  if constexpr (std::same_as<T, bool>) return expected_bool(fn, a, b);
  else if constexpr (std::integral<T>) return expected_integer(fn, a, b);
  else return expected_float(fn, a, b);
}

bool is_defined(BinaryFn fn, DType dtype) {
  const bool bits = fn == BinaryFn::logical_and || fn == BinaryFn::logical_or || fn == BinaryFn::logical_xor;
  const bool lattice =
      fn == BinaryFn::add || fn == BinaryFn::mul || fn == BinaryFn::maximum || fn == BinaryFn::minimum;
  const bool shift = fn == BinaryFn::shift_left || fn == BinaryFn::shift_right_arithmetic ||
                     fn == BinaryFn::shift_right_logical;
  if (shift) return is_integer(dtype);
  if (fn == BinaryFn::atan2) return !is_integer(dtype) && dtype != DType::boolean;
  if (dtype == DType::boolean) return bits || lattice;
  return !bits || is_integer(dtype);
}

/// All pairs of edge values.
template <class T>
std::pair<std::vector<Stored<T>>, std::vector<Stored<T>>> squared_edges() {
  std::vector<Stored<T>> left, right;
  for (Stored<T> a : edge_values<T>())
    for (Stored<T> b : edge_values<T>()) {
      left.push_back(a);
      right.push_back(b);
    }
  return {left, right};
}

void expect_refused(BinaryFn fn, DType dtype) {
  try {
    binary_kernel(fn, dtype, Stride::dense, Stride::dense);
    ADD_FAILURE() << name(fn) << " of " << name(dtype) << " is not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::dtype);
    EXPECT_EQ(error.message(), std::string(name(fn)) + " is not defined for " + std::string(name(dtype)) +
                                   "; convert the operands to another dtype");
  }
}

template <class T>
void expect_exact(BinaryFn fn, DType dtype) {
  const auto [left, right] = squared_edges<T>();
  std::vector<Stored<T>> found(left.size());
  const std::byte* const in[] = {bytes(left), bytes(right)};
  binary_kernel(fn, dtype, Stride::dense, Stride::dense)(bytes(found), in, std::int64_t(found.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const T want = expected<T>(fn, T(left[i]), T(right[i]));
    EXPECT_TRUE(same_element<Stored<T>>(found[i], want))
        << name(fn) << '(' << +left[i] << ", " << +right[i] << ") = " << +found[i] << ", not " << +want;
  }
}

using BinaryCase = std::tuple<std::int64_t, BinaryFn>;
class binary_kernel_on : public testing::TestWithParam<BinaryCase> {};

TEST_P(binary_kernel_on, is_exact_over_the_square_of_edge_values_or_refused) {
  const auto [target, fn] = GetParam();
  const UseInstructionSet use(target);
  for (DType dtype : arithmetic_dtypes()) {
    if (!is_defined(fn, dtype)) expect_refused(fn, dtype);
    else with_type(dtype, [fn = fn, dtype]<class T>(T) { expect_exact<T>(fn, dtype); });
  }
}

std::string binary_case_name(const testing::TestParamInfo<BinaryCase>& info) {
  const auto [target, fn] = info.param;
  return name_of_instruction_set(target) + "_" + std::string(name(fn));
}
INSTANTIATE_TEST_SUITE_P(all, binary_kernel_on,
                         testing::Combine(testing::ValuesIn(instruction_sets()),
                                          testing::ValuesIn(binary_fns)),
                         binary_case_name);

class on_each_instruction_set : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(all, on_each_instruction_set, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

template <class T>
bool expected(CompareDirection direction, T a, T b) {
  switch (direction) {
    case CompareDirection::eq: return a == b;
    case CompareDirection::ne: return a != b;
    case CompareDirection::lt: return a < b;
    case CompareDirection::le: return a <= b;
    case CompareDirection::gt: return a > b;
    case CompareDirection::ge: return a >= b;
  }
  return false;
}

TEST_P(on_each_instruction_set, compare_is_exact_over_the_square_of_edge_values) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : arithmetic_dtypes())
    for (int direction = 0; direction < 6; ++direction)
      with_type(dtype, [=]<class T>(T) {
        const auto compare = static_cast<CompareDirection>(direction);
        const auto [left, right] = squared_edges<T>();
        std::vector<std::uint8_t> found(left.size());
        const std::byte* const in[] = {bytes(left), bytes(right)};
        compare_kernel(compare, dtype, Stride::dense, Stride::dense)(bytes(found), in,
                                                                     std::int64_t(found.size()));
        for (std::size_t i = 0; i < found.size(); ++i)
          EXPECT_EQ(found[i], expected<T>(compare, T(left[i]), T(right[i])))
              << name(compare) << '(' << +left[i] << ", " << +right[i] << ") of " << name(dtype);
      });
}

TEST_P(on_each_instruction_set, select_takes_the_bits_of_its_side) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : arithmetic_dtypes())
    with_type(dtype, [=]<class T>(T) {
      const auto [left, right] = squared_edges<T>();
      const auto predicate = spread_values<bool>(left.size(), 7);
      std::vector<Stored<T>> found(left.size());
      const std::byte* const in[] = {bytes(predicate), bytes(left), bytes(right)};
      select_kernel(dtype, Stride::dense, Stride::dense, Stride::dense)(bytes(found), in,
                                                                        std::int64_t(found.size()));
      for (std::size_t i = 0; i < found.size(); ++i) {
        const Stored<T> want = predicate[i] ? left[i] : right[i];
        EXPECT_EQ(0, std::memcmp(&found[i], &want, sizeof want)) << name(dtype) << " element " << i;
      }
    });
}

/// The integer that a number lies at or beyond, or NaN's 0, by way of 80-bit floats, which hold all of them.
template <class To, class From>
To expected_conversion(From x) {
  if constexpr (std::same_as<To, bool>) {
    return !(x == From{0});
  } else if constexpr (std::integral<To> && std::floating_point<From>) {
    const auto exact = static_cast<long double>(x);
    if (x != x) return 0;
    if (exact <= static_cast<long double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (exact >= static_cast<long double>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return static_cast<To>(exact);
  } else if constexpr (std::integral<To>) {
    return wrapped<To>(static_cast<Exact>(x));
  } else {
    return static_cast<To>(static_cast<long double>(x));  // rounds once: 64 bits hold every operand
  }
}

template <class From, class To>
void check_conversion(DType from, DType to) {
  auto values = edge_values<From>();
  if constexpr (std::same_as<From, std::int64_t>)  // round to f64 first, and these go the wrong way in f32
    for (std::int64_t x :
         {(std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1, -(std::int64_t{1} << 53) - 1})
      values.push_back(x);
  std::vector<Stored<To>> found(values.size());
  const std::byte* const in[] = {bytes(values)};
  convert_kernel(from, to)(bytes(found), in, std::int64_t(found.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const To want = expected_conversion<To>(From(values[i]));
    EXPECT_TRUE(same_element<Stored<To>>(found[i], want))
        << name(from) << ' ' << +values[i] << " to " << name(to) << " = " << +found[i] << ", not " << +want;
  }
}

TEST_P(on_each_instruction_set, convert_saturates_floats_wraps_integers_and_rounds_once) {
  const UseInstructionSet use(GetParam());
  for (DType from : arithmetic_dtypes())
    for (DType to : arithmetic_dtypes())
      with_type(from, [=]<class From>(From) {
        with_type(to, [=]<class To>(To) { check_conversion<From, To>(from, to); });
      });
}

bool is_of_floats(UnaryFn fn) {
  return fn == UnaryFn::sqrt || fn == UnaryFn::floor || fn == UnaryFn::ceil || fn == UnaryFn::round;
}

template <class T>
T expected(UnaryFn fn, T x) {
  const bool negative = x < T{0};
  if constexpr (std::integral<T>) {
    if (fn == UnaryFn::sign) return T((x > 0) - (x < 0));
    if (fn == UnaryFn::logical_not) return static_cast<T>(-1 - static_cast<Exact>(x));
    return fn == UnaryFn::neg || negative ? wrapped<T>(-static_cast<Exact>(x)) : x;
  } else {
    if (fn == UnaryFn::neg) return -x;
    if (fn == UnaryFn::abs) return std::fabs(x);
    if (fn == UnaryFn::sqrt) return std::sqrt(x);
    if (fn == UnaryFn::floor) return std::floor(x);
    if (fn == UnaryFn::ceil) return std::ceil(x);
    if (fn == UnaryFn::round) return std::nearbyint(x);  // to even, as the tests do not set another way
    return negative ? T{-1} : x > T{0} ? T{1} : x;
  }
}

TEST_P(on_each_instruction_set, what_has_an_exact_result_is_exact) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : arithmetic_dtypes())
    for (UnaryFn fn : {UnaryFn::neg, UnaryFn::abs, UnaryFn::sign, UnaryFn::sqrt, UnaryFn::floor,
                       UnaryFn::ceil, UnaryFn::round, UnaryFn::logical_not})
      with_type(dtype, [=]<class T>(T) {
        if (is_of_floats(fn) && std::integral<T>) return;
        if (fn == UnaryFn::logical_not && !std::integral<T>) return;
        if constexpr (!std::same_as<T, bool>) {
          auto values = edge_values<T>();
          for (double x : {0.49, 0.5, 0.49999997019767761, 0.49999999999999994, 1.5, -1.5, 2.5, -0.3,
                           8388609.0, 4503599627370497.5})
            if (std::floating_point<T> || x == expected_conversion<T>(x)) values.push_back(static_cast<T>(x));
          std::vector<T> found(values.size());
          const std::byte* const in[] = {bytes(values)};
          unary_kernel(fn, dtype)(bytes(found), in, std::int64_t(found.size()));
          for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_TRUE(same_element(found[i], expected(fn, values[i])))
                << name(fn) << ' ' << values[i] << " of " << name(dtype) << " = " << found[i];
        }
      });
}

TEST_P(on_each_instruction_set, is_finite_is_false_for_infinities_and_nan) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : {DType::f32, DType::f64})
    with_type(dtype, [=]<class T>(T) {
      if constexpr (std::floating_point<T>) {
        const auto values = edge_values<T>();
        std::vector<std::uint8_t> found(values.size());
        const std::byte* const in[] = {bytes(values)};
        unary_kernel(UnaryFn::is_finite, dtype)(bytes(found), in, std::int64_t(found.size()));
        for (std::size_t i = 0; i < found.size(); ++i)
          EXPECT_EQ(found[i], std::isfinite(values[i])) << values[i];
      }
    });
}

TEST_P(on_each_instruction_set, not_of_bool_is_a_bool) {
  const UseInstructionSet use(GetParam());
  const auto values = spread_values<bool>(100, 3);
  std::vector<std::uint8_t> found(values.size());
  const std::byte* const in[] = {bytes(values)};
  unary_kernel(UnaryFn::logical_not, DType::boolean)(bytes(found), in, std::int64_t(found.size()));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], 1 - values[i]);
}

TEST_P(on_each_instruction_set, clamp_is_the_minimum_of_the_maximum) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : arithmetic_dtypes())
    with_type(dtype, [=]<class T>(T) {
      if constexpr (!std::same_as<T, bool>) {
        const auto [low, high] = squared_edges<T>();
        const auto x = spread_values<T>(low.size(), 9);
        std::vector<T> found(low.size());
        const std::byte* const in[] = {bytes(low), bytes(x), bytes(high)};
        clamp_kernel(dtype, Stride::dense, Stride::dense, Stride::dense)(bytes(found), in,
                                                                         std::int64_t(found.size()));
        for (std::size_t i = 0; i < found.size(); ++i) {
          const T want =
              expected<T>(BinaryFn::minimum, expected<T>(BinaryFn::maximum, low[i], x[i]), high[i]);
          EXPECT_TRUE(same_element(found[i], want))
              << low[i] << ' ' << x[i] << ' ' << high[i] << ": " << found[i];
        }
      }
    });
}

TEST(clamp_kernel, refuses_bool) {
  EXPECT_THROW(clamp_kernel(DType::boolean, Stride::dense, Stride::dense, Stride::dense), Error);
}

TEST(instruction_set, is_named_as_people_name_it) {
  std::vector<std::string> names;
  for (std::int64_t target : instruction_sets()) {
    const UseInstructionSet use(target);
    names.push_back(instruction_set());
  }
#if defined(__x86_64__)
  // Highway before 1.1 has no vectors of SSE2.
  EXPECT_TRUE(names.back() == "portable" || names.back() == "SSE2") << names.back();
#elif defined(__aarch64__)
  EXPECT_EQ(names.back(), "NEON");  // every ARM of 64 bits has it
#endif
  EXPECT_EQ(instruction_set(), names.front());  // without a choice: the best
}

TEST(unary_kernel, refuses_bool_and_the_float_functions_of_integers) {
  EXPECT_THROW(unary_kernel(UnaryFn::neg, DType::boolean), Error);
  for (UnaryFn fn :
       {UnaryFn::exp,      UnaryFn::log,     UnaryFn::tanh,        UnaryFn::sqrt,  UnaryFn::rsqrt,
        UnaryFn::logistic, UnaryFn::sin,     UnaryFn::cos,         UnaryFn::log1p, UnaryFn::expm1,
        UnaryFn::erf,      UnaryFn::erf_inv, UnaryFn::xla_erf_inv, UnaryFn::tan,   UnaryFn::exp2,
        UnaryFn::lgamma,   UnaryFn::digamma, UnaryFn::round,       UnaryFn::floor, UnaryFn::ceil,
        UnaryFn::is_finite})
    try {
      unary_kernel(fn, DType::i32);
      FAIL() << name(fn);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::dtype);
    }
}

}  // namespace
}  // namespace tutti
