// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "tutti/base/namespaces.hpp"
#include "tutti/types/half.hpp"

namespace tutti {

/// The element type of an array. Stored little-endian; a bool is one byte, 0 or 1; a complex number is its
/// real part, then its imaginary part. In this order: most dtypes can hold those before them.
enum class DType : std::uint8_t {
  boolean,
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  u64,
  i64,
  f16,
  bf16,
  f32,
  f64,
  complex64,
  complex128
};

/// Every dtype, in the order of the enumeration.
std::span<const DType> all_dtypes();
/// "bool", "i32", "f32", "complex64", ...
std::string_view name(DType dtype);
/// The dtype of such a name; none for another text.
std::optional<DType> dtype_named(std::string_view name);
/// 1 for bool, 4 for f32, 8 for complex64.
std::size_t bytes_per_element(DType dtype);
bool is_integer(DType dtype);   // not bool
bool is_unsigned(DType dtype);  // not bool
/// True for f16, bf16, f32 and f64.
bool is_float(DType dtype);
bool is_half(DType dtype);  // f16, bf16: computed with as f32
/// True for complex64 and complex128.
bool is_complex(DType dtype);
bool is_inexact(DType dtype);  // float or complex: what has derivatives

}  // namespace tutti

namespace tutti::internal {

/// The signed integer as wide as a float: i16 of f16 and bf16, i32 of f32, i64 of f64.
DType integer_as_wide_as(DType dtype);
/// The dtype of the parts: f32 for complex64, f64 for complex128; and the inverse.
DType part_of(DType complex);
DType complex_of(DType part);

/// Calls f(std::type_identity<T>()) with T, the C++ element type of a DType.
template <class F>
constexpr decltype(auto) with_element(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean: return f(std::type_identity<bool>());
    case DType::u8: return f(std::type_identity<std::uint8_t>());
    case DType::i8: return f(std::type_identity<std::int8_t>());
    case DType::u16: return f(std::type_identity<std::uint16_t>());
    case DType::i16: return f(std::type_identity<std::int16_t>());
    case DType::u32: return f(std::type_identity<std::uint32_t>());
    case DType::i32: return f(std::type_identity<std::int32_t>());
    case DType::u64: return f(std::type_identity<std::uint64_t>());
    case DType::i64: return f(std::type_identity<std::int64_t>());
    case DType::f16: return f(std::type_identity<f16>());
    case DType::bf16: return f(std::type_identity<bf16>());
    case DType::f32: return f(std::type_identity<float>());
    case DType::f64: return f(std::type_identity<double>());
    case DType::complex64: return f(std::type_identity<std::complex<float>>());
    case DType::complex128: break;
  }
  return f(std::type_identity<std::complex<double>>());
}

template <class T>
constexpr std::optional<DType> dtype_or_none() {
  for (int i = 0; i <= static_cast<int>(DType::complex128); ++i) {
    const bool is_it = with_element(static_cast<DType>(i),
                                    []<class E>(std::type_identity<E>) { return std::is_same_v<E, T>; });
    if (is_it) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace tutti::internal

namespace tutti {

template <class T>
inline constexpr bool is_element = internal::dtype_or_none<T>().has_value();

/// The DType of a C++ element type.
template <class T>
  requires is_element<T>
constexpr DType dtype_of() {
  return *internal::dtype_or_none<T>();
}

}  // namespace tutti

namespace tutti::internal {

template <class T>
inline constexpr bool is_half_element = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
template <class T>
inline constexpr bool is_complex_element =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

}  // namespace tutti::internal
