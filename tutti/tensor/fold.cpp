// SPDX-License-Identifier: Apache-2.0
// Folds over positions: all_reduce among the devices of one process.
#include <hwy/cache_control.h>

#include "tutti/tensor/kernels.hpp"
#include "tutti/tensor/lanes.hpp"
#include "tutti/tensor/scalar_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/fold.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/half_inl.hpp"
#include "tutti/tensor/loops_inl.hpp"
#include "tutti/tensor/tree_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// Lanes of D at the places of all positions, which lie in memory as lanes of `Stored`.
template <class D, class Stored = D, class ToLanes = Same>
class Positions {
 public:
  using Vec = hn::Vec<D>;
  Positions(const std::byte* const* in, Load load) : in_(in), fetches_(load == Load::ahead) {}
  /// The hardware follows few streams at once. It does not mind what lies behind the end.
  HWY_INLINE void fetch_ahead(std::size_t positions, std::size_t i) const {
    constexpr std::size_t bytes_ahead = 512, most_positions = 16;  // of 8 KiB, a part of the first cache
    if (!fetches_ || positions > most_positions) return;
    for (std::size_t p = 0; p < positions; ++p)
      hwy::Prefetch(reinterpret_cast<const std::byte*>(elements(p) + i) + bytes_ahead);
  }
  /// At the last lanes: nothing follows.
  HWY_INLINE void fetch_ahead(std::size_t, std::size_t, std::size_t) const {}
  HWY_INLINE Vec at(std::size_t position, std::size_t i) const {
    return ToLanes()(hn::LoadU(Stored(), elements(position) + i));
  }
  HWY_INLINE Vec at(std::size_t position, std::size_t i, std::size_t count) const {
    return ToLanes()(load_first(Stored(), elements(position) + i, count));
  }

 private:
  HWY_INLINE const Element<Stored>* elements(std::size_t position) const {
    return reinterpret_cast<const Element<Stored>*>(in_[position]);
  }
  const std::byte* const* in_;
  bool fetches_;
};

/// The fold over a count of positions that is known early.
template <ReduceKind kind, std::size_t count, class P>
struct FewFolded {
  template <class... Place>
  HWY_INLINE typename P::Vec at(Place... place) const {
    positions.fetch_ahead(count, place...);
    return tree<kind, count>(positions, 0, place...);
  }
  P positions;
};

template <ReduceKind kind, class D, class P>
struct AnyFolded {
  template <class... Place>
  HWY_INLINE typename P::Vec at(Place... place) const {
    positions.fetch_ahead(count, place...);
    PairwiseStack<typename P::Vec, Fold<kind>, 32> stack;
    std::size_t first = 0;
    for (; first + block_rows < count; first += block_rows)
      stack.push(tree<kind, block_rows>(positions, first, place...));
    return stack.folded_with(tree_of_block<kind>(D(), count - first, positions, first, place...));
  }
  P positions;
  std::size_t count;
};

/// fn(the fold of each element) to `result`.
template <ReduceKind kind, class D, class P, class Out, class Fn>
HWY_INLINE void fold_positions(const P& positions, int count, std::int64_t n, const Out& result,
                               const Fn& fn) {
  const auto elements = static_cast<std::size_t>(n);
  switch (count) {
    case 2: return map(D(), n, result, fn, FewFolded<kind, 2, P>{positions});
    case 3: return map_singly(D(), 0, elements, result, fn, FewFolded<kind, 3, P>{positions});
    case 4: return map_singly(D(), 0, elements, result, fn, FewFolded<kind, 4, P>{positions});
    case 8: return map_singly(D(), 0, elements, result, fn, FewFolded<kind, 8, P>{positions});
    default:
      return map_singly(D(), 0, elements, result, fn,
                        AnyFolded<kind, D, P>{positions, static_cast<std::size_t>(count)});
  }
}

template <ReduceKind kind, class T>
void fold_loop(std::byte* out, const std::byte* const* in, int count, std::int64_t n, Load load,
               Store store) {
  using D = hn::ScalableTag<T>;
  fold_positions<kind, D>(Positions<D>(in, load), count, n, StreamableResult<D>(out, store), Same());
}

/// Folded in f32 and rounded once.
template <ReduceKind kind, class H>
void half_fold_loop(std::byte* out, const std::byte* const* in, int count, std::int64_t n, Load load,
                    Store store) {
  const Positions<Floats, Halves, Widen<H>> positions(in, load);
  fold_positions<kind, Floats>(positions, count, n, StreamableResult<Halves>(out, store), Round<H>());
}

template <class H>
FoldKernel half_fold_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum: return half_fold_loop<ReduceKind::sum, H>;
    case ReduceKind::max: return half_fold_loop<ReduceKind::max, H>;
    case ReduceKind::min: return half_fold_loop<ReduceKind::min, H>;
    case ReduceKind::logical_and:
    case ReduceKind::logical_or: break;
  }
  return nullptr;
}

FoldKernel vector_half_fold_kernel(ReduceKind kind, DType dtype) {
  return dtype == DType::f16 ? half_fold_of<f16>(kind) : half_fold_of<bf16>(kind);
}

template <class T>
FoldKernel fold_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum: return fold_loop<ReduceKind::sum, T>;
    case ReduceKind::max: return fold_loop<ReduceKind::max, T>;
    case ReduceKind::min: return fold_loop<ReduceKind::min, T>;
    case ReduceKind::logical_and:
      if constexpr (hwy::IsFloat<T>()) return nullptr;
      else return fold_loop<ReduceKind::logical_and, T>;
    case ReduceKind::logical_or:
      if constexpr (hwy::IsFloat<T>()) return nullptr;
      else return fold_loop<ReduceKind::logical_or, T>;
  }
  return nullptr;
}

FoldKernel vector_fold_kernel(ReduceKind kind, Lanes lanes) {
  switch (lanes) {
    case Lanes::boolean:
      return fold_of<std::uint8_t>(kind == ReduceKind::sum ? ReduceKind::max : kind);  // or
    case Lanes::i32: return fold_of<std::int32_t>(kind);
    case Lanes::i64: return fold_of<std::int64_t>(kind);
    case Lanes::f32: return fold_of<float>(kind);
    case Lanes::f64: return fold_of<double>(kind);
  }
  return nullptr;
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
