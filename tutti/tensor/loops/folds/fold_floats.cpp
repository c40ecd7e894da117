// SPDX-License-Identifier: Apache-2.0
// Folds over positions, of f32 and f64.
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/folds/fold_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/folds/fold_floats.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/folds/fold_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

FoldKernel float_fold(ReduceKind kind, Lanes lanes) {
  return lanes == Lanes::f32 ? fold_of<float>(kind) : fold_of<double>(kind);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(float_fold);

FoldKernel fold_kernel_of_floats(ReduceKind kind, Lanes lanes) {
  return HWY_DYNAMIC_DISPATCH(float_fold)(kind, lanes);
}

}  // namespace tutti
#endif
