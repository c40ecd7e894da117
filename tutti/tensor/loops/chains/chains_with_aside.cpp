// SPDX-License-Identifier: Apache-2.0
// Kernels of chains that put x aside: functions of two values that functions compute.
#include <type_traits>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/chains/chains_with_aside.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/chains/chains_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// x, what was put aside and an operand share the registers.
template <class Format>
using Many = std::conditional_t<HWY_TARGET <= HWY_AVX3, Twice<Four<Format>>, Four<Format>>;

template <class T>
constexpr ChainKernel chain_with_aside = chain_loop<Many<Plain<hn::ScalableTag<T>>>, StepsWithAside>;

ChainKernel vector_chain_with_aside_kernel(DType dtype) {
  if (dtype == DType::f32) return chain_with_aside<float>;
  return dtype == DType::f64 ? chain_with_aside<double> : nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_chain_with_aside_kernel);

ChainKernel chain_with_aside_kernel(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(vector_chain_with_aside_kernel)(dtype);
}

}  // namespace tutti
#endif
