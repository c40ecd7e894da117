// SPDX-License-Identifier: Apache-2.0
// Folds of rows that chains of f32 compute.
#include "tutti/tensor/loops/chains/chain_kernels.hpp"
#include "tutti/tensor/loops/choose.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/chains/chain_rows_f32.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/chains/chain_rows_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

ReduceChainRowsKernel f32_chain_rows(ReduceKind kind) {
  return chain_rows_of<RowResult::element, float>(kind);
}
ReduceChainRowsKernel f32_chain_pieces(ReduceKind kind) {
  return chain_rows_of<RowResult::lanes, float>(kind);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(f32_chain_rows);
HWY_EXPORT(f32_chain_pieces);

ReduceChainRowsKernel reduce_chain_rows_kernel_of_f32(ReduceKind kind) {
  return HWY_DYNAMIC_DISPATCH(f32_chain_rows)(kind);
}
ReduceChainRowsKernel reduce_chain_pieces_kernel_of_f32(ReduceKind kind) {
  return HWY_DYNAMIC_DISPATCH(f32_chain_pieces)(kind);
}

}  // namespace tutti
#endif
