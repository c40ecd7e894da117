// SPDX-License-Identifier: Apache-2.0
// Kernels of fold chains of f64.
#include "tutti/tensor/loops/chains/chain_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/chains/fold_chains_f64.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/chains/fold_chain_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

FoldChainKernel f64_fold_chain(int results) { return fold_chain_of<double>(results); }

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(f64_fold_chain);

FoldChainKernel fold_chain_kernel_of_f64(int results) {
  return HWY_DYNAMIC_DISPATCH(f64_fold_chain)(results);
}

}  // namespace tutti
#endif
