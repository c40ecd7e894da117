// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/instruction_set.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/instruction_set.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

const char* target_name() {
  if constexpr (HWY_TARGET == HWY_AVX3) return "AVX-512";
  if constexpr (HWY_TARGET == HWY_SCALAR) return "portable";
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {
HWY_EXPORT(target_name);

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace tutti
#endif
