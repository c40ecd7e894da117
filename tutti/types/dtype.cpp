// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/dtype.hpp"

#include <array>

namespace tutti {

std::span<const DType> all_dtypes() {
  static constexpr std::array all{DType::boolean, DType::i32, DType::i64, DType::f32, DType::f64};
  return all;
}

std::string_view name(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "bool";
    case DType::i32: return "i32";
    case DType::i64: return "i64";
    case DType::f32: return "f32";
    case DType::f64: return "f64";
  }
  return {};
}

std::optional<DType> dtype_named(std::string_view text) {
  for (DType dtype : all_dtypes())
    if (name(dtype) == text) return dtype;
  return std::nullopt;
}

std::size_t bytes_per_element(DType dtype) {
  switch (dtype) {
    case DType::boolean: return 1;
    case DType::i32:
    case DType::f32: return 4;
    case DType::i64:
    case DType::f64: return 8;
  }
  return 0;
}

bool is_float(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }
bool is_integer(DType dtype) { return dtype == DType::i32 || dtype == DType::i64; }

}  // namespace tutti
