// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/kernels.hpp"

#include <cstring>

#include "tutti/tensor/scalar_fn.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

const char* target_name() {
  if constexpr (HWY_TARGET == HWY_AVX3) return "AVX-512";
  if constexpr (HWY_TARGET == HWY_SCALAR) return "portable";
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {
namespace {

template <ReduceKind kind, class T>
void write_neutral(std::byte* out) {
  constexpr T neutral = neutral_element<kind, T>();
  std::memcpy(out, &neutral, sizeof neutral);
}

template <ReduceKind kind>
void write_neutral_of(DType dtype, std::byte* out) {
  switch (dtype) {
    case DType::boolean: return write_neutral<kind, bool>(out);
    case DType::i32: return write_neutral<kind, std::int32_t>(out);
    case DType::i64: return write_neutral<kind, std::int64_t>(out);
    case DType::f32: return write_neutral<kind, float>(out);
    case DType::f64: return write_neutral<kind, double>(out);
  }
}

}  // namespace

void write_neutral_element(ReduceKind kind, DType dtype, std::byte* out) {
  switch (kind) {
    case ReduceKind::sum: return write_neutral_of<ReduceKind::sum>(dtype, out);
    case ReduceKind::max: return write_neutral_of<ReduceKind::max>(dtype, out);
    case ReduceKind::min: return write_neutral_of<ReduceKind::min>(dtype, out);
    case ReduceKind::logical_and: return write_neutral_of<ReduceKind::logical_and>(dtype, out);
    case ReduceKind::logical_or: return write_neutral_of<ReduceKind::logical_or>(dtype, out);
  }
}

HWY_EXPORT(target_name);

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace tutti
#endif
