// SPDX-License-Identifier: Apache-2.0
// Kernels of fold chains of f32.
#include "tutti/tensor/loops/chains/chain_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/chains/fold_chains_f32.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/chains/fold_chain_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

FoldChainKernel f32_fold_chain(int results) { return fold_chain_of<float>(results); }

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(f32_fold_chain);

FoldChainKernel fold_chain_kernel_of_f32(int results) {
  return HWY_DYNAMIC_DISPATCH(f32_fold_chain)(results);
}

}  // namespace tutti
#endif
