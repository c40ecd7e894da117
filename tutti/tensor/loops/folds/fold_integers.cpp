// SPDX-License-Identifier: Apache-2.0
// Folds over positions, of bool, i32 and i64.
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/folds/fold_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/folds/fold_integers.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/folds/fold_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

FoldKernel integer_fold(ReduceKind kind, Lanes lanes) {
  if (lanes == Lanes::i32) return fold_of<std::int32_t>(kind);
  if (lanes == Lanes::i64) return fold_of<std::int64_t>(kind);
  return fold_of<std::uint8_t>(kind == ReduceKind::sum ? ReduceKind::max : kind);  // a sum of bools is `or`
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(integer_fold);

FoldKernel fold_kernel_of_integers(ReduceKind kind, Lanes lanes) {
  return HWY_DYNAMIC_DISPATCH(integer_fold)(kind, lanes);
}

}  // namespace tutti
#endif
