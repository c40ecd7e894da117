// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/spelling.hpp"

namespace tutti {

const char* element_name(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "i1";
    case DType::u8: return "ui8";
    case DType::i8: return "i8";
    case DType::u16: return "ui16";
    case DType::i16: return "i16";
    case DType::u32: return "ui32";
    case DType::i32: return "i32";
    case DType::u64: return "ui64";
    case DType::i64: return "i64";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::complex64: return "complex<f32>";
    case DType::complex128: return "complex<f64>";
  }
  return "";
}

stablehlo::TensorType tensor_type(Type type) { return {type.shape().sizes(), element_name(type.dtype())}; }

const char* reducer_name(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum: return "stablehlo.add";
    case ReduceKind::prod: return "stablehlo.multiply";
    case ReduceKind::max: return "stablehlo.maximum";
    case ReduceKind::min: return "stablehlo.minimum";
    case ReduceKind::logical_and: return "stablehlo.and";
    case ReduceKind::logical_or: return "stablehlo.or";
  }
  return "";
}

}  // namespace tutti
