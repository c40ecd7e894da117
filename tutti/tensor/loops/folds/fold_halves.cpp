// SPDX-License-Identifier: Apache-2.0
// Folds over positions, of f16 and bf16.
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/folds/fold_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/folds/fold_halves.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/folds/fold_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

template <class H>
FoldKernel half_fold_of(ReduceKind kind) {
  return for_kind<H>(kind, []<ReduceKind of_kind>() -> FoldKernel { return half_fold_loop<of_kind, H>; });
}

FoldKernel half_fold(ReduceKind kind, DType dtype) {
  return dtype == DType::f16 ? half_fold_of<f16>(kind) : half_fold_of<bf16>(kind);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(half_fold);

FoldKernel fold_kernel_of_halves(ReduceKind kind, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(half_fold)(kind, dtype);
}

}  // namespace tutti
#endif
