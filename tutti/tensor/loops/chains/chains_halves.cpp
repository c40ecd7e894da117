// SPDX-License-Identifier: Apache-2.0
// Kernels of chains of f16 and bf16.
#include "tutti/tensor/loops/chains/chain_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/chains/chains_halves.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/chains/chain_loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

ChainKernel half_chain(DType dtype) {
  return dtype == DType::f16 ? any_chain<Wide<f16>> : any_chain<Wide<bf16>>;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(half_chain);

ChainKernel chain_kernel_of_halves(DType dtype) { return HWY_DYNAMIC_DISPATCH(half_chain)(dtype); }

}  // namespace tutti
#endif
