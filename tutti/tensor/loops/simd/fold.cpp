// SPDX-License-Identifier: Apache-2.0
// Folds over positions: all_reduce among the devices of one process.
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"
#include "tutti/tensor/loops/reductions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/fold.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/half_inl.hpp"
#include "tutti/tensor/loops/simd/loops_inl.hpp"
#include "tutti/tensor/loops/simd/positions_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// Writes fn(fold) of each element to `result`.
template <ReduceKind kind, class D, class P, class Out, class Fn>
TUTTI_INLINE void fold_positions(const P& positions, int count, std::int64_t n, const Out& result,
                                 const Fn& fn) {
  if (count == 2) return map(D(), n, result, fn, FewFolded<kind, 2, P>{positions});
  with_folded<kind, D>(positions, static_cast<std::size_t>(count), [&](const auto& folded) HWY_ATTR {
    map_singly(D(), 0, static_cast<std::size_t>(n), result, fn, folded);
  });
}

template <ReduceKind kind, class T>
void fold_loop(std::byte* out, const std::byte* const* in, int count, std::int64_t n, Load load,
               Store store) {
  using D = hn::ScalableTag<T>;
  fold_positions<kind, D>(Positions<D>(in, load), count, n, StreamableResult<D>(out, store), Same());
}

/// Folds in f32 and rounds once.
template <ReduceKind kind, class H>
void half_fold_loop(std::byte* out, const std::byte* const* in, int count, std::int64_t n, Load load,
                    Store store) {
  const Positions<Floats, Halves, Widen<H>> positions(in, load);
  fold_positions<kind, Floats>(positions, count, n, StreamableResult<Halves>(out, store), Round<H>());
}

FoldKernel vector_half_fold_kernel(ReduceKind kind, DType dtype) {
  const auto of = [&]<class H>(std::type_identity<H>) {
    return for_kind<H>(kind, []<ReduceKind of_kind>() -> FoldKernel { return half_fold_loop<of_kind, H>; });
  };
  return dtype == DType::f16 ? of(std::type_identity<f16>()) : of(std::type_identity<bf16>());
}

FoldKernel vector_fold_kernel(ReduceKind kind, Lanes lanes) {
  if (lanes == Lanes::boolean && kind == ReduceKind::sum) kind = ReduceKind::max;  // or
  return for_lanes(lanes, [&]<class T>(std::type_identity<T>) {
    return for_kind<T>(kind, []<ReduceKind of_kind>() -> FoldKernel { return fold_loop<of_kind, T>; });
  });
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_fold_kernel);
HWY_EXPORT(vector_half_fold_kernel);

FoldKernel fold_kernel(ReduceKind kind, DType dtype) {
  if (const auto lanes = lanes_of_fold(kind, dtype))
    return HWY_DYNAMIC_DISPATCH(vector_fold_kernel)(kind, *lanes);
  if (is_half(dtype)) return HWY_DYNAMIC_DISPATCH(vector_half_fold_kernel)(kind, dtype);
  return scalar_fold_kernel(kind, dtype);
}

}  // namespace tutti
#endif
