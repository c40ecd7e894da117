// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers of 16 bits, to be stored only: they are computed with as float, and rounded once.
#pragma once

#include <bit>
#include <cstdint>

#include "tutti/base/namespaces.hpp"

namespace tutti::internal {

namespace half {

/// `value` with as many of its low bits as `bits` says rounded away, to nearest, of two to the even one.
constexpr std::uint32_t without_low_bits(std::uint32_t value, int bits) {
  const std::uint32_t last_kept = value >> bits & 1;
  return (value + (std::uint32_t{1} << (bits - 1)) - 1 + last_kept) >> bits;
}

// Free of branches, so that loops over them are compiled to vector instructions.

/// 5 bits of exponent, 10 of fraction.
constexpr std::uint16_t f16_bits(float value) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = all >> 16 & 0x8000, magnitude = all & 0x7FFFFFFF;
  const std::uint32_t normal = without_low_bits(magnitude - (112U << 23), 13);  // a carry moves the exponent
  // Adding 1/2 puts the last bit of a number below 2^-14 where float rounds.
  const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
                              std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t infinite_or_nan = magnitude > 0x7F800000 ? 0x7E00 | (magnitude >> 13 & 0x3FF) : 0x7C00;
  const std::uint32_t finite = magnitude < 0x38800000 ? small : normal;
  return static_cast<std::uint16_t>(sign | (magnitude >= 0x477FF000 ? infinite_or_nan : finite));
}

constexpr float f16_value(std::uint16_t bits) {
  const std::uint32_t magnitude = (bits & 0x7FFFU) << 13, sign = (bits & 0x8000U) << 16;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;  // exact, below 2^-14 too
  const bool is_finite = (bits & 0x7C00U) != 0x7C00U;
  return std::bit_cast<float>((is_finite ? std::bit_cast<std::uint32_t>(scaled) : magnitude | 0x7F800000U) |
                              sign);
}

/// The upper half of a float.
constexpr std::uint16_t bf16_bits(float value) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const bool is_nan = (all & 0x7FFFFFFF) > 0x7F800000;
  return static_cast<std::uint16_t>(is_nan ? all >> 16 | 0x40 : without_low_bits(all, 16));
}

constexpr float bf16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// `value` as a float whose last bit is 1 if digits are lost ("to odd"): rounding that to 16 bits is rounding
/// once.
constexpr float to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  const double error = value - static_cast<double>(nearest);
  if (error == 0 || error != error || (bits & 1) != 0) return nearest;
  const bool is_larger_in_magnitude = (error > 0) == (value > 0);
  return std::bit_cast<float>(is_larger_in_magnitude ? bits + 1 : bits - 1);
}

}  // namespace half

}  // namespace tutti::internal

namespace tutti {

/// A number of IEEE binary16: 5 bits of exponent, 10 of fraction. It is stored only; compute with float.
/// Conversions from float and double round once, to nearest, ties to even.
struct f16 {
  f16() = default;
  constexpr explicit f16(float value) : bits(internal::half::f16_bits(value)) {}
  constexpr explicit f16(double value) : f16(internal::half::to_odd(value)) {}
  /// The value; exact.
  constexpr explicit operator float() const { return internal::half::f16_value(bits); }
  std::uint16_t bits;
};

/// A bfloat16: the upper half of a float, 8 bits of exponent, 7 of fraction. It is stored only.
/// Conversions from float and double round once, to nearest, ties to even.
struct bf16 {
  bf16() = default;
  constexpr explicit bf16(float value) : bits(internal::half::bf16_bits(value)) {}
  constexpr explicit bf16(double value) : bf16(internal::half::to_odd(value)) {}
  /// The value; exact.
  constexpr explicit operator float() const { return internal::half::bf16_value(bits); }
  std::uint16_t bits;
};

}  // namespace tutti
