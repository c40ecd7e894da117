// SPDX-License-Identifier: Apache-2.0
// Folds over positions: all_reduce among the devices of one process.
#include "tutti/tensor/kernels.hpp"
#include "tutti/tensor/lanes.hpp"
#include "tutti/tensor/scalar_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/fold.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops_inl.hpp"
#include "tutti/tensor/tree_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

template <class D>
class Positions {
 public:
  explicit HWY_INLINE Positions(const std::byte* const* in) : in_(in) {}
  HWY_INLINE hn::Vec<D> at(std::size_t position, std::size_t i) const {
    return hn::LoadU(D(), elements(position) + i);
  }
  HWY_INLINE hn::Vec<D> at(std::size_t position, std::size_t i, std::size_t count) const {
    return load_first(D(), elements(position) + i, count);
  }

 private:
  HWY_INLINE const Element<D>* elements(std::size_t position) const {
    return reinterpret_cast<const Element<D>*>(in_[position]);
  }
  const std::byte* const* in_;
};

/// The fold over a count of positions that is known early.
template <ReduceKind kind, std::size_t count, class D>
struct FewFolded {
  template <class... Place>
  HWY_INLINE hn::Vec<D> at(Place... place) const {
    return tree<kind, count>(positions, 0, place...);
  }
  Positions<D> positions;
};

template <ReduceKind kind, class D>
struct AnyFolded {
  template <class... Place>
  HWY_INLINE hn::Vec<D> at(Place... place) const {
    PairwiseStack<hn::Vec<D>, Fold<kind>, 32> stack;
    std::size_t first = 0;
    for (; first + block_rows < count; first += block_rows)
      stack.push(tree<kind, block_rows>(positions, first, place...));
    return stack.folded_with(tree_of_block<kind>(D(), count - first, positions, first, place...));
  }
  Positions<D> positions;
  std::size_t count;
};

template <ReduceKind kind, class T>
void fold_loop(std::byte* out, const std::byte* const* in, int count, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  const Positions<D> positions(in);
  const Result<D> result(out);
  const auto elements = static_cast<std::size_t>(n);
  switch (count) {
    case 2: return map(D(), n, result, Same(), FewFolded<kind, 2, D>{positions});
    case 3: return map_singly(D(), 0, elements, result, Same(), FewFolded<kind, 3, D>{positions});
    case 4: return map_singly(D(), 0, elements, result, Same(), FewFolded<kind, 4, D>{positions});
    case 8: return map_singly(D(), 0, elements, result, Same(), FewFolded<kind, 8, D>{positions});
    default:
      return map_singly(D(), 0, elements, result, Same(),
                        AnyFolded<kind, D>{positions, static_cast<std::size_t>(count)});
  }
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

FoldKernel fold_kernel(ReduceKind kind, DType dtype) {
  if (const auto lanes = lanes_of_fold(kind, dtype))
    return HWY_DYNAMIC_DISPATCH(vector_fold_kernel)(kind, *lanes);
  return scalar_fold_kernel(kind, dtype);
}

}  // namespace tutti
#endif
