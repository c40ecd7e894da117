// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/kernels.hpp"

#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/kernels.cpp"
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
namespace {

template <ReduceKind kind>
void write_neutral_of(DType dtype, std::byte* out) {
  with_element(dtype, [out]<class T>(std::type_identity<T>) {
    if constexpr (!is_complex_element<T> || kind == ReduceKind::sum) {
      constexpr T neutral = neutral_element<kind, T>();
      std::memcpy(out, &neutral, sizeof neutral);
    } else {
      fail(Code::internal, "complex numbers have no neutral element but 0");
    }
  });
}

}  // namespace

void write_neutral_element(ReduceKind kind, DType dtype, std::byte* out) {
  switch (kind) {
    case ReduceKind::sum: return write_neutral_of<ReduceKind::sum>(dtype, out);
    case ReduceKind::max: return write_neutral_of<ReduceKind::max>(dtype, out);
    case ReduceKind::min: return write_neutral_of<ReduceKind::min>(dtype, out);
    case ReduceKind::logical_and: return write_neutral_of<ReduceKind::logical_and>(dtype, out);
    case ReduceKind::logical_or: return write_neutral_of<ReduceKind::logical_or>(dtype, out);
  }
}

HWY_EXPORT(target_name);

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace tutti
#endif
