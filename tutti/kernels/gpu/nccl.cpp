// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/nccl.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

// ncclDataType_t and ncclRedOp_t of nccl.h 2.10 and later.
std::optional<int> number_of(DType dtype) {
  switch (dtype) {
    case DType::i8: return 0;
    case DType::boolean:  // a byte, 0 or 1
    case DType::u8: return 1;
    case DType::i32: return 2;
    case DType::u32: return 3;
    case DType::i64: return 4;
    case DType::u64: return 5;
    case DType::f16: return 6;
    case DType::complex64:  // two f32
    case DType::f32: return 7;
    case DType::complex128:  // two f64
    case DType::f64: return 8;
    case DType::bf16: return 9;
    case DType::i16:
    case DType::u16: break;
  }
  return std::nullopt;
}

int number_of(ReduceKind reduction) {
  switch (reduction) {
    case ReduceKind::sum: return 0;
    case ReduceKind::prod: return 1;
    case ReduceKind::logical_or:
    case ReduceKind::max: return 2;
    case ReduceKind::logical_and:
    case ReduceKind::min: break;
  }
  return 3;
}

bool is_logical(ReduceKind reduction) {
  return reduction == ReduceKind::logical_or || reduction == ReduceKind::logical_and;
}

}  // namespace

std::optional<NcclReduction> nccl_reduction(DType dtype, ReduceKind reduction) {
  const std::optional<int> number = number_of(dtype);
  const bool is_sum = reduction == ReduceKind::sum;
  const bool is_defined = dtype == DType::boolean ? !is_sum
                          : is_complex(dtype)     ? is_sum
                                                  : !is_logical(reduction);
  if (!number || !is_defined) return std::nullopt;
  return NcclReduction{*number, number_of(reduction), is_complex(dtype) ? 2 : 1};
}

int Nccl::version() const {
  int number = 0;
  get_version(&number);
  return number;
}

void Nccl::check(int result, std::string_view function) const {
  if (result == 0) return;
  const auto text = reinterpret_cast<const char* (*)(int)>(library_.symbol("ncclGetErrorString"));
  fail(Code::device, "{}: {} (error {}); NCCL_DEBUG=INFO in the environment makes NCCL say more", function,
       text(result), result);
}

}  // namespace tutti::kernels
