// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/clamp.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"
#include "tutti/tensor/loops/simd/vector_fn_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

struct Clamp {
  template <class V>
  TUTTI_INLINE V operator()(V low, V x, V high) const {
    return minimum(maximum(low, x), high);
  }
};

template <class T, Stride low, Stride x, Stride high>
void clamp_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, Result<D>(out), Clamp(), Operand<low, D>(in[0]), Operand<x, D>(in[1]), Operand<high, D>(in[2]));
}

ElementwiseKernel vector_clamp_kernel(Lanes lanes, Stride low, Stride x, Stride high) {
  return for_lanes(lanes, [&]<class T>(std::type_identity<T>) -> ElementwiseKernel {
    if constexpr (sizeof(T) == 1) return nullptr;
    else
      return for_strides([]<Stride... of>() -> ElementwiseKernel { return clamp_loop<T, of...>; }, low, x,
                         high);
  });
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_clamp_kernel);

ElementwiseKernel clamp_kernel(DType dtype, Stride low, Stride x, Stride high) {
  ElementwiseKernel kernel = nullptr;
  if (const auto lanes = lanes_of(dtype))
    kernel = HWY_DYNAMIC_DISPATCH(vector_clamp_kernel)(*lanes, low, x, high);
  if (kernel == nullptr) kernel = scalar_clamp_kernel(dtype, low, x, high);
  require(kernel != nullptr, Code::dtype,
          "clamp is not defined for {}; convert the operands to another dtype", name(dtype));
  return kernel;
}

}  // namespace tutti
#endif
