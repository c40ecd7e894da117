// SPDX-License-Identifier: Apache-2.0
// Folds of rows. The tree depends only on the number of columns, on every instruction set. There are 16
// virtual lanes; element i is in lane i % 16. A block has 2 KiB. In a block, vector v of 16 elements is added
// to partial sum v % 4 (v % 2 for 8-byte elements); each partial sum adds 8 vectors in order. Then partial
// sums, blocks and lanes are folded pairwise. An element takes part in at most 13 + log2(blocks) additions,
// which is within the bound
// 2 ceil(log2 columns) for every number of columns (tests/tensor/reduce_rows_test.cpp).
#include <hwy/highway.h>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "tutti/tensor/loops/folds/tree_inl.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"
#include "tutti/tensor/loops/simd/half_inl.hpp"
#include "tutti/tensor/loops/simd/loops_inl.hpp"

#if defined(TUTTI_TENSOR_ROW_FOLDER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_ROW_FOLDER_INL_HPP
#undef TUTTI_TENSOR_ROW_FOLDER_INL_HPP
#else
#define TUTTI_TENSOR_ROW_FOLDER_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

constexpr std::size_t virtual_lanes = 16;
constexpr std::size_t vectors_per_sum = 8;

template <ReduceKind kind, class T>
struct RowFolder {
  using D = hn::CappedTag<T, virtual_lanes>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr std::size_t parts = virtual_lanes / lanes;
  static constexpr std::size_t sums = 16 / sizeof(T);
  static constexpr std::size_t step = virtual_lanes * sums;
  static constexpr std::size_t block_elements = step * vectors_per_sum;
  static constexpr T neutral = neutral_element<kind, T>();

  /// The 16 virtual lanes.
  struct Lanes {
    TUTTI_INLINE Lanes() {}  // a defaulted one is not compiled for this instruction set
    hn::Vec<D> part[parts];
  };
  struct FoldLanes {
    TUTTI_INLINE Lanes operator()(Lanes a, const Lanes& b) const {
      HWY_UNROLL(4)
      for (std::size_t p = 0; p < parts; ++p) a.part[p] = fold<kind>(a.part[p], b.part[p]);
      return a;
    }
  };

  /// A row in memory.
  struct Stored {
    TUTTI_INLINE void add_step(Lanes* sum, std::size_t first) const { add(sum, elements + first); }
    TUTTI_INLINE const T* rest(std::size_t first, std::size_t, T*) const { return elements + first; }
    const T* elements;
  };
  /// A row that is converted from elements of another type.
  template <class From>
  struct Converted {
    using Element = std::conditional_t<std::integral<From>, From, std::uint16_t>;  // halves are read as bits
    using DFrom = hn::Rebind<Element, D>;
    TUTTI_INLINE void add_step(Lanes* sum, std::size_t first) const {
      HWY_UNROLL(4)
      for (std::size_t s = 0; s < sums; ++s) {
        Lanes v;
        HWY_UNROLL(4)
        for (std::size_t p = 0; p < parts; ++p)
          v.part[p] = converted(hn::LoadU(DFrom(), elements + first + s * virtual_lanes + p * lanes));
        sum[s] = FoldLanes()(sum[s], v);
      }
    }
    TUTTI_INLINE const T* rest(std::size_t first, std::size_t count, T* made) const {
      for (std::size_t i = 0; i < count; i += lanes) {
        const std::size_t left = count - i < lanes ? count - i : lanes;
        hn::StoreU(converted(load_first(DFrom(), elements + first + i, left)), D(), made + i);
      }
      return made;
    }
    static TUTTI_INLINE hn::Vec<D> converted(hn::Vec<DFrom> v) {
      if constexpr (std::integral<From>) return hn::PromoteTo(D(), v);
      else return Widen<From>()(v);
    }
    const Element* elements;
  };

  static TUTTI_INLINE void add(Lanes* sum, const T* elements) {
    HWY_UNROLL(4)
    for (std::size_t s = 0; s < sums; ++s)
      sum[s] = FoldLanes()(sum[s], all_lanes(elements + s * virtual_lanes));
  }

  template <class Row>
  static T folded(const Row& row, std::size_t columns) {
    HWY_ALIGN T made[virtual_lanes];
    if (columns == 0) return neutral;
    if (columns <= virtual_lanes) return folded_lanes(first_lanes(row.rest(0, columns, made), columns));
    return folded_lanes(folded_blocks(row, columns));
  }

  template <class Row>
  static TUTTI_INLINE Lanes folded_blocks(const Row& row, std::size_t columns) {
    PairwiseStack<Lanes, FoldLanes, 48> stack;
    std::size_t first = 0;
    for (; columns - first > block_elements; first += block_elements)
      stack.push(folded_block(row, first, block_elements));
    return stack.folded_with(folded_block(row, first, columns - first));
  }

  /// Folds 1 to block_elements elements from `first` on.
  template <class Row>
  static HWY_NOINLINE Lanes folded_block(const Row& source, std::size_t first, std::size_t columns) {
    Lanes sum[sums];
    HWY_UNROLL(4)
    for (std::size_t s = 0; s < sums; ++s) sum[s] = neutral_lanes();
    for (; columns >= step; columns -= step, first += step) source.add_step(sum, first);
    HWY_ALIGN T made[step];
    const T* row = source.rest(first, columns, made);
    HWY_UNROLL(4)
    for (std::size_t s = 0; s < sums; ++s, row += virtual_lanes) {
      if (columns >= virtual_lanes) {
        sum[s] = FoldLanes()(sum[s], all_lanes(row));
        columns -= virtual_lanes;
      } else if (columns > 0) {
        sum[s] = FoldLanes()(sum[s], first_lanes(row, columns));
        columns = 0;
      }
    }
    return folded_sums(sum);
  }

  static TUTTI_INLINE Lanes folded_sums(const Lanes* sum) {
    const Lanes low = FoldLanes()(sum[0], sum[1]);
    if constexpr (sums == 2) return low;
    else return FoldLanes()(low, FoldLanes()(sum[2], sum[3]));
  }

  /// Folds lane j with lane j + 8, then with j + 4, j + 2 and j + 1.
  static TUTTI_INLINE T folded_lanes(Lanes v) {
    HWY_UNROLL(4)
    for (std::size_t half = parts / 2; half > 0; half /= 2) {
      HWY_UNROLL(2)
      for (std::size_t p = 0; p < half; ++p) v.part[p] = fold<kind>(v.part[p], v.part[p + half]);
    }
    const T folded = folded_halves(D(), v.part[0]);
    if constexpr (kind == ReduceKind::sum) return folded + T{0};  // from +0, as StableHLO's reduce starts
    else return folded;
  }

  template <class DHalves, class V>
  static TUTTI_INLINE T folded_halves(DHalves d, V v) {
    if constexpr (hn::MaxLanes(d) == 1) {
      return hn::GetLane(v);
    } else {
      const hn::Half<DHalves> half;  // the calls are found by ADL: a single lane has no halves
      return folded_halves(half, fold<kind>(LowerHalf(half, v), UpperHalf(half, v)));
    }
  }

  static TUTTI_INLINE Lanes all_lanes(const T* from) {
    Lanes v;
    HWY_UNROLL(4)
    for (std::size_t p = 0; p < parts; ++p) v.part[p] = hn::LoadU(D(), from + p * lanes);
    return v;
  }

  /// Loads the first `count` lanes; the others are neutral.
  static TUTTI_INLINE Lanes first_lanes(const T* from, std::size_t count) {
    Lanes v = neutral_lanes();
    HWY_UNROLL(4)
    for (std::size_t p = 0; p < parts; ++p) {
      if (count <= p * lanes) break;
      const std::size_t here = count - p * lanes < lanes ? count - p * lanes : lanes;
      v.part[p] = hn::IfThenElse(hn::FirstN(D(), here), load_first(D(), from + p * lanes, here), v.part[p]);
    }
    return v;
  }

  static TUTTI_INLINE Lanes neutral_lanes() {
    Lanes v;
    HWY_UNROLL(4)
    for (std::size_t p = 0; p < parts; ++p) v.part[p] = hn::Set(D(), neutral);
    return v;
  }
};

/// The result of a row: one element, or the 16 lanes of a piece.
enum class RowResult { element, lanes };

template <RowResult left, ReduceKind kind, class T, class Row>
TUTTI_INLINE void reduce_row(std::byte* out, std::int64_t row, const Row& source, std::int64_t columns) {
  using Folder = RowFolder<kind, T>;
  auto* folded = reinterpret_cast<T*>(out);
  if constexpr (left == RowResult::element) {
    folded[row] = Folder::folded(source, static_cast<std::size_t>(columns));
  } else {
    const auto v = Folder::folded_blocks(source, static_cast<std::size_t>(columns));
    folded += row * lanes_of_piece;
    for (std::size_t p = 0; p < Folder::parts; ++p)
      hn::StoreU(v.part[p], typename Folder::D(), folded + p * Folder::lanes);
  }
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
