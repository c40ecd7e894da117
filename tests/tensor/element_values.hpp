// SPDX-License-Identifier: Apache-2.0
// Element values for tests of kernels: edges and a spread of ordinary ones, and how results are compared.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// std::vector<bool> has no bytes to point to.
template <class T>
using Stored = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;

/// The values where functions break.
template <class T>
std::vector<Stored<T>> edge_values() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::same_as<T, bool>) {
    return {0, 1};
  } else if constexpr (std::integral<T>) {
    std::vector<T> values;
    for (int x : {0, 1, -1, 2, -2, 3, -3, 7, -7, 8, 10, 16, 31, 32, 100, -99, 511})
      values.push_back(static_cast<T>(x));
    for (int x : {0, 1}) {
      values.push_back(static_cast<T>(Limits::max() - x));
      values.push_back(static_cast<T>(Limits::min() + x));
    }
    return values;
  } else {
    return {T(0),
            -T(0),
            T(1),
            T(-1),
            T(0.5),
            T(-2.5),
            T(3),
            T(1e-3),
            T(-1e10),
            T(2147483647.0),
            T(-2147483648.0),
            T(4e9),
            T(9.3e18),
            T(-9.3e18),
            Limits::max(),
            Limits::lowest(),
            Limits::min(),
            Limits::denorm_min(),
            -Limits::denorm_min(),
            Limits::infinity(),
            -Limits::infinity(),
            Limits::quiet_NaN(),
            -Limits::quiet_NaN()};
  }
}

/// `n` ordinary values, all different in bits where the type allows, the same for the same seed everywhere.
template <class T>
std::vector<Stored<T>> spread_values(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<Stored<T>> values(n);
  for (Stored<T>& value : values) {
    const std::uint64_t word = bits();
    if constexpr (std::floating_point<T>)
      value = static_cast<T>((static_cast<double>(word >> 11) * 0x1p-53 - 0.5) *
                             std::exp2(double(word % 13) - 6));
    else if constexpr (std::same_as<T, bool>) value = word % 2;
    else value = static_cast<T>(word);
  }
  return values;
}

/// Values that break functions among ordinary ones; of the halves any.
template <class T>
std::vector<T> edges_among_ordinary(std::size_t count, std::mt19937_64& random) {
  if constexpr (sizeof(T) == 2) {
    std::vector<T> values(count);
    for (T& value : values) value = std::bit_cast<T>(static_cast<std::uint16_t>(random()));
    return values;
  } else {
    std::vector<T> values = spread_values<T>(count, random());
    for (T edge : edge_values<T>()) values[random() % count] = edge;
    return values;
  }
}

/// NaNs, too.
template <class T>
bool have_same_bits(std::span<const T> a, std::span<const T> b) {
  return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}

/// Equal bits; any NaN equals any other.
template <class T>
bool same_element(T a, T b) {
  if constexpr (std::floating_point<T>)
    return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
  return a == b;
}

/// Whose elements C++ has: all but f16, bf16 (tests/tensor/half_test.cpp) and complex numbers
/// (complex_test.cpp).
inline std::vector<DType> arithmetic_dtypes() {
  std::vector<DType> dtypes;
  for (DType dtype : all_dtypes())
    if (!is_half(dtype) && !is_complex(dtype)) dtypes.push_back(dtype);
  return dtypes;
}

template <class F>
void with_type(DType dtype, F f) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_arithmetic_v<T>) f(T{});
  });
}

template <class T>
const std::byte* bytes(const std::vector<T>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}
template <class T>
std::byte* bytes_of(T& value) {
  return reinterpret_cast<std::byte*>(&value);
}
template <class T>
std::byte* bytes(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

}  // namespace tutti
