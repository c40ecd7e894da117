// SPDX-License-Identifier: Apache-2.0
// The element functions on one element: what the vector loops compute, and the loops of the functions that
// have no vector form.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tutti/tensor/element_fn.hpp"

namespace tutti {

template <std::integral T>
constexpr T wrapping_add(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}
template <std::integral T>
constexpr T wrapping_sub(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
}
template <std::integral T>
constexpr T wrapping_mul(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}

/// x/0 = all ones, MIN/-1 = MIN; else truncated.
template <std::integral T>
constexpr T integer_div(T a, T b) {
  if (b == 0) return T{-1};
  if (b == -1) return wrapping_sub(T{0}, a);
  return a / b;
}

/// x%0 = x, x%-1 = 0; else the sign of a.
template <std::integral T>
constexpr T integer_rem(T a, T b) {
  if (b == 0) return a;
  if (b == -1) return 0;
  return a % b;
}

/// Wraps. Negative exponents: 1 -> 1, -1 -> +-1, every other base -> 0.
template <std::integral T>
constexpr T integer_pow(T base, T exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  T power = 1;
  for (T left = exponent; left > 0; left /= 2) {
    if (left % 2 == 1) power = wrapping_mul(power, base);
    base = wrapping_mul(base, base);
  }
  return power;
}

/// b bits at a time; by the width or more, or by less than 0: 0, or the sign.
template <std::integral T>
constexpr T shifted_left(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(b) < 8 * sizeof(T) ? static_cast<T>(static_cast<U>(a) << b) : T{0};
}
template <std::integral T>
constexpr T shifted_right(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return a >> (static_cast<U>(b) < 8 * sizeof(T) ? b : static_cast<T>(8 * sizeof(T) - 1));
}
template <std::integral T>
constexpr T shifted_right_logically(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(b) < 8 * sizeof(T) ? static_cast<T>(static_cast<U>(a) >> b) : T{0};
}

/// What a fold starts from; `or` is the sum of bools.
template <ReduceKind kind, class T>
constexpr T neutral_element() {
  using Limits = std::numeric_limits<T>;
  if constexpr (kind == ReduceKind::sum || kind == ReduceKind::logical_or) return T{0};
  else if constexpr (kind == ReduceKind::logical_and)
    return std::same_as<T, bool> ? T{1} : static_cast<T>(-1);
  else if constexpr (Limits::has_infinity)
    return kind == ReduceKind::max ? -Limits::infinity() : Limits::infinity();
  else return kind == ReduceKind::max ? Limits::lowest() : Limits::max();
}

/// To bool: is not 0. Float to integer saturates, NaN -> 0. Integers wrap. To a float: rounded once.
template <class To, class From>
To convert_element(From x) {
  if constexpr (std::same_as<To, bool>) {
    return x != From{0};
  } else if constexpr (std::floating_point<From> && std::integral<To>) {
    constexpr auto low = static_cast<From>(std::numeric_limits<To>::min());  // a power of two: exact
    if (x != x) return 0;
    if (x < low) return std::numeric_limits<To>::min();
    if (x >= -low) return std::numeric_limits<To>::max();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace tutti
