// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tutti {

/// The element type of an array. Stored little-endian; a bool is one byte, 0 or 1.
enum class DType : std::uint8_t { boolean, i32, i64, f32, f64 };

std::span<const DType> all_dtypes();
/// "bool", "i32", "f32", ...
std::string_view name(DType dtype);
std::optional<DType> dtype_named(std::string_view name);
std::size_t bytes_per_element(DType dtype);
bool is_float(DType dtype);
bool is_integer(DType dtype);  // not bool

template <class T> inline constexpr bool is_element = false;
template <> inline constexpr bool is_element<bool> = true;
template <> inline constexpr bool is_element<std::int32_t> = true;
template <> inline constexpr bool is_element<std::int64_t> = true;
template <> inline constexpr bool is_element<float> = true;
template <> inline constexpr bool is_element<double> = true;

/// The DType of a C++ element type.
template <class T>
  requires is_element<T>
constexpr DType dtype_of() {
  if constexpr (std::same_as<T, bool>) return DType::boolean;
  if constexpr (std::same_as<T, std::int32_t>) return DType::i32;
  if constexpr (std::same_as<T, std::int64_t>) return DType::i64;
  if constexpr (std::same_as<T, float>) return DType::f32;
  if constexpr (std::same_as<T, double>) return DType::f64;
}

}  // namespace tutti
