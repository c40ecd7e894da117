// SPDX-License-Identifier: Apache-2.0
// The element functions on one element. They compute the same as the vector loops; the other loops call them.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// The unsigned type in which T wraps. C++ would promote a type narrower than unsigned to int, whose overflow
/// is undefined.
template <std::integral T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <std::integral T>
constexpr T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <std::integral T>
constexpr T wrapping_sub(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <std::integral T>
constexpr T wrapping_mul(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}

template <std::integral T>
constexpr bool is_minus_one(T x) {
  return std::signed_integral<T> && x == static_cast<T>(-1);
}

/// The truncated quotient; x/0 = all ones, MIN/-1 = MIN.
template <std::integral T>
constexpr T integer_div(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (is_minus_one(b)) return wrapping_sub(T{0}, a);
  return static_cast<T>(a / b);
}

/// The remainder, with the sign of a; x%0 = x, x%-1 = 0.
template <std::integral T>
constexpr T integer_rem(T a, T b) {
  if (b == 0) return a;
  if (is_minus_one(b)) return 0;
  return static_cast<T>(a % b);
}

/// The power, wrapping. With a negative exponent 1 gives 1, -1 gives +-1, and every other base gives 0.
template <std::integral T>
constexpr T integer_pow(T base, T exponent) {
  if (std::signed_integral<T> && exponent < 0) {
    if (base == 1) return 1;
    if (is_minus_one(base)) return exponent % 2 == 0 ? T{1} : base;
    return 0;
  }
  T power = 1;
  for (T left = exponent; left > 0; left /= 2) {
    if (left % 2 == 1) power = wrapping_mul(power, base);
    base = wrapping_mul(base, base);
  }
  return power;
}

/// a shifted by b bits. If b < 0 or b >= width, the result is 0, or the sign for shifted_right.
template <std::integral T>
constexpr T shifted_left(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(b) < 8 * sizeof(T) ? static_cast<T>(static_cast<Wrapping<T>>(a) << b) : T{0};
}
template <std::integral T>
constexpr T shifted_right(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(a >> (static_cast<U>(b) < 8 * sizeof(T) ? b : static_cast<T>(8 * sizeof(T) - 1)));
}
template <std::integral T>
constexpr T shifted_right_logically(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(b) < 8 * sizeof(T) ? static_cast<T>(static_cast<U>(a) >> b) : T{0};
}

/// The type in which elements of T are computed: float for 16-bit floats, else T.
template <class T>
using Computed = std::conditional_t<is_half_element<T>, float, T>;

template <class T>
constexpr T sum_of(T a, T b) {
  if constexpr (std::integral<T>) return wrapping_add(a, b);
  else return a + b;
}
template <class T>
constexpr T product_of(T a, T b) {
  if constexpr (std::integral<T>) return wrapping_mul(a, b);
  else return a * b;
}

/// The element that a fold starts from. The sum of bools is `or`, so its neutral element is 0, too.
template <ReduceKind kind, class T>
constexpr T neutral_element() {
  using Limits = std::numeric_limits<T>;
  if constexpr (is_half_element<T>) return T(neutral_element<kind, float>());
  else if constexpr (kind == ReduceKind::sum || kind == ReduceKind::logical_or) return T(0);
  else if constexpr (kind == ReduceKind::prod) return T(1);
  else if constexpr (kind == ReduceKind::logical_and)
    return std::same_as<T, bool> ? T(1) : static_cast<T>(-1);
  else if constexpr (Limits::has_infinity)
    return kind == ReduceKind::max ? -Limits::infinity() : Limits::infinity();
  else return kind == ReduceKind::max ? Limits::lowest() : Limits::max();
}

/// x truncated to To, saturating; NaN -> 0.
template <class To, std::floating_point From>
constexpr To integer_from(From x) {
  constexpr int digits = std::numeric_limits<To>::digits;
  constexpr From beyond = 2 * static_cast<From>(std::uint64_t{1} << (digits - 1));  // a power of two: exact
  if (x != x) return 0;
  if (x < static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (x >= beyond) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

/// An integer as a double that rounds to f16 or bf16 as the integer itself does: exact, or rounded to odd.
template <std::integral From>
constexpr double double_to_round(From x) {
  constexpr int lost = 11;  // 64 digits less the 53 of double
  if constexpr (sizeof(From) < 8) {
    return x;
  } else {
    constexpr From low = (From{1} << lost) - 1, exact = From{1} << 52;
    const bool is_exact = x <= exact && (std::unsigned_integral<From> || x >= wrapping_sub(From{0}, exact));
    const bool loses = (x & low) != 0;
    return static_cast<double>(is_exact ? x : (x & ~low) | (loses ? From{1} << lost : From{0}));
  }
}

/// Converts an element. To bool: x != 0. Float to integer: saturates, NaN -> 0. Integer to integer: wraps. To
/// a float: rounds once. Complex to real: takes the real part.
template <class To, class From>
constexpr To convert_element(From x) {
  if constexpr (is_complex_element<From>) {
    if constexpr (is_complex_element<To>) return To(x);
    else return convert_element<To>(x.real());
  } else if constexpr (is_complex_element<To>) {
    return To(convert_element<typename To::value_type>(x));
  } else if constexpr (std::same_as<To, From>) {
    return x;
  } else if constexpr (is_half_element<From>) {
    return convert_element<To>(static_cast<float>(x));
  } else if constexpr (std::same_as<To, bool>) {
    return x != From{0};
  } else if constexpr (is_half_element<To>) {
    if constexpr (std::integral<From>) return To(double_to_round(x));
    else return To(x);
  } else if constexpr (std::floating_point<From> && std::integral<To>) {
    return integer_from<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace tutti
