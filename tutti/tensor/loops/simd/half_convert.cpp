// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/half_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/half_convert.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/half_inl.hpp"
#include "tutti/tensor/loops/simd/loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

template <class H>
void widen_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  map(Floats(), n, Result<Floats>(out), Widen<H>(), Operand<Stride::dense, Halves>(in[0]));
}

template <class H>
void round_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  map(Floats(), n, Result<Halves>(out), Round<H>(), Operand<Stride::dense, Floats>(in[0]));
}

ElementwiseKernel vector_widen_kernel(DType from) {
  return from == DType::f16 ? widen_loop<f16> : widen_loop<bf16>;
}
ElementwiseKernel vector_round_kernel(DType to) {
  return to == DType::f16 ? round_loop<f16> : round_loop<bf16>;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_widen_kernel);
HWY_EXPORT(vector_round_kernel);

ElementwiseKernel half_convert_kernel(DType from, DType to) {
  if (to == DType::f32 && is_half(from)) return HWY_DYNAMIC_DISPATCH(vector_widen_kernel)(from);
  if (from == DType::f32 && is_half(to)) return HWY_DYNAMIC_DISPATCH(vector_round_kernel)(to);
  return nullptr;
}

}  // namespace tutti
#endif
