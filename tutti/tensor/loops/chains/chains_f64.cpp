// SPDX-License-Identifier: Apache-2.0
// Kernels of chains of f64.
#include "tutti/tensor/loops/chains/chain_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/chains/chains_f64.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/chains/chain_loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

ChainKernel f64_chain(const ChainStep* steps, int count) { return chain_of<double>({steps, count}); }
ChainByRowsKernel f64_chain_by_rows() { return chain_by_rows_loop<Plain<hn::ScalableTag<double>>>; }

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(f64_chain);
HWY_EXPORT(f64_chain_by_rows);

ChainKernel chain_kernel_of_f64(std::span<const ChainStep> steps) {
  return HWY_DYNAMIC_DISPATCH(f64_chain)(steps.data(), static_cast<int>(steps.size()));
}
ChainByRowsKernel chain_by_rows_kernel_of_f64() { return HWY_DYNAMIC_DISPATCH(f64_chain_by_rows)(); }

}  // namespace tutti
#endif
