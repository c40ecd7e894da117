// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/dtype.hpp"
#include "tutti/base/inside.hpp"

#include <array>

namespace tutti {

std::span<const DType> all_dtypes() {
  static constexpr std::array all{DType::boolean, DType::u8,        DType::i8,        DType::u16,
                                  DType::i16,     DType::u32,       DType::i32,       DType::u64,
                                  DType::i64,     DType::f16,       DType::bf16,      DType::f32,
                                  DType::f64,     DType::complex64, DType::complex128};
  return all;
}

std::string_view name(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "bool";
    case DType::u8: return "u8";
    case DType::i8: return "i8";
    case DType::u16: return "u16";
    case DType::i16: return "i16";
    case DType::u32: return "u32";
    case DType::i32: return "i32";
    case DType::u64: return "u64";
    case DType::i64: return "i64";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::complex64: return "complex64";
    case DType::complex128: return "complex128";
  }
  return {};
}

std::optional<DType> dtype_named(std::string_view text) {
  for (DType dtype : all_dtypes())
    if (name(dtype) == text) return dtype;
  return std::nullopt;
}

std::size_t bytes_per_element(DType dtype) {
  return with_element(dtype, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

bool is_integer(DType dtype) {
  return with_element(dtype, []<class T>(std::type_identity<T>) {
    return std::is_integral_v<T> && !std::is_same_v<T, bool>;
  });
}
bool is_unsigned(DType dtype) {
  return with_element(dtype, []<class T>(std::type_identity<T>) {
    return std::is_unsigned_v<T> && !std::is_same_v<T, bool>;
  });
}
bool is_float(DType dtype) { return is_half(dtype) || dtype == DType::f32 || dtype == DType::f64; }
bool is_half(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }
bool is_complex(DType dtype) { return dtype == DType::complex64 || dtype == DType::complex128; }
bool is_inexact(DType dtype) { return is_float(dtype) || is_complex(dtype); }

DType internal::integer_as_wide_as(DType dtype) {
  if (bytes_per_element(dtype) == 2) return DType::i16;
  return bytes_per_element(dtype) == 4 ? DType::i32 : DType::i64;
}

DType internal::part_of(DType complex) { return complex == DType::complex64 ? DType::f32 : DType::f64; }
DType internal::complex_of(DType part) { return part == DType::f32 ? DType::complex64 : DType::complex128; }

}  // namespace tutti
