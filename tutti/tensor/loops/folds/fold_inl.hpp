// SPDX-License-Identifier: Apache-2.0
// Folds over positions: all_reduce among the devices of one process.
#include <hwy/highway.h>
#include <cstdint>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/folds/positions_inl.hpp"
#include "tutti/tensor/loops/simd/half_inl.hpp"
#include "tutti/tensor/loops/simd/loops_inl.hpp"

#if defined(TUTTI_TENSOR_FOLD_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_FOLD_INL_HPP
#undef TUTTI_TENSOR_FOLD_INL_HPP
#else
#define TUTTI_TENSOR_FOLD_INL_HPP
#endif

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

template <class T>
FoldKernel fold_of(ReduceKind kind) {
  return for_kind<T>(kind, []<ReduceKind of_kind>() -> FoldKernel { return fold_loop<of_kind, T>; });
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
