// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/lanes.hpp"

namespace tutti {

std::optional<Lanes> lanes_of(DType dtype) {
  switch (dtype) {
    case DType::boolean: return Lanes::boolean;
    case DType::i32: return Lanes::i32;
    case DType::i64: return Lanes::i64;
    case DType::f32: return Lanes::f32;
    case DType::f64: return Lanes::f64;
    case DType::u8:
    case DType::i8:
    case DType::u16:
    case DType::i16:
    case DType::u32:
    case DType::u64:
    case DType::f16:
    case DType::bf16:
    case DType::complex64:
    case DType::complex128: break;
  }
  return std::nullopt;
}

std::optional<Lanes> lanes_of_bits(DType dtype) {
  if (dtype == DType::u32) return Lanes::i32;
  return dtype == DType::u64 ? Lanes::i64 : lanes_of(dtype);
}

std::optional<Lanes> lanes_of_fold(ReduceKind kind, DType dtype) {
  return kind == ReduceKind::max || kind == ReduceKind::min ? lanes_of(dtype) : lanes_of_bits(dtype);
}

}  // namespace tutti
