// SPDX-License-Identifier: Apache-2.0
// The fold over positions, as an operand of the loops of loops_inl.hpp. For the sources of this folder,
// compiled once per instruction set.
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include <cstddef>

#include "tutti/tensor/loops/folds/tree_inl.hpp"
#include "tutti/tensor/loops/simd/loops_inl.hpp"

#if defined(TUTTI_TENSOR_POSITIONS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_POSITIONS_INL_HPP
#undef TUTTI_TENSOR_POSITIONS_INL_HPP
#else
#define TUTTI_TENSOR_POSITIONS_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// The terms of a fold, one array per position: lanes of D, which lie in memory as lanes of `Stored`.
template <class D, class Stored = D, class ToLanes = Same>
class Positions {
 public:
  using Vec = hn::Vec<D>;
  Positions(const std::byte* const* in, Load load) : in_(in), fetches_(load == Load::ahead) {}
  /// Prefetches the next lines of all positions, because the hardware follows few streams at once. Addresses
  /// behind the end do no harm.
  TUTTI_INLINE void fetch_ahead(std::size_t positions, std::size_t i) const {
    constexpr std::size_t bytes_ahead = 512, most_positions = 16;  // 8 KiB together, a part of L1
    if (!fetches_ || positions > most_positions) return;
    for (std::size_t p = 0; p < positions; ++p)
      hwy::Prefetch(reinterpret_cast<const std::byte*>(elements(p) + i) + bytes_ahead);
  }
  /// Does nothing at the last lanes: no line follows.
  TUTTI_INLINE void fetch_ahead(std::size_t, std::size_t, std::size_t) const {}
  TUTTI_INLINE Vec at(std::size_t position, std::size_t i) const {
    return ToLanes()(hn::LoadU(Stored(), elements(position) + i));
  }
  TUTTI_INLINE Vec at(std::size_t position, std::size_t i, std::size_t count) const {
    return ToLanes()(load_first(Stored(), elements(position) + i, count));
  }

 private:
  TUTTI_INLINE const Element<Stored>* elements(std::size_t position) const {
    return reinterpret_cast<const Element<Stored>*>(in_[position]);
  }
  const std::byte* const* in_;
  bool fetches_;
};

/// The fold over a number of positions that is known at compile time.
template <ReduceKind kind, std::size_t count, class P>
struct FewFolded {
  template <class... Place>
  TUTTI_INLINE typename P::Vec at(Place... place) const {
    positions.fetch_ahead(count, place...);
    return tree<kind, count>(positions, 0, place...);
  }
  P positions;
};

template <ReduceKind kind, class D, class P>
struct AnyFolded {
  template <class... Place>
  TUTTI_INLINE typename P::Vec at(Place... place) const {
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

/// Returns use(fold over `count` positions).
template <ReduceKind kind, class D, class P, class Use>
TUTTI_INLINE auto with_folded(const P& positions, std::size_t count, const Use& use) {
  switch (count) {
    case 2: return use(FewFolded<kind, 2, P>{positions});
    case 3: return use(FewFolded<kind, 3, P>{positions});
    case 4: return use(FewFolded<kind, 4, P>{positions});
    case 8: return use(FewFolded<kind, 8, P>{positions});
    default: return use(AnyFolded<kind, D, P>{positions, count});
  }
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
