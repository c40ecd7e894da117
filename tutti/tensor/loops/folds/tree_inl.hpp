// SPDX-License-Identifier: Apache-2.0
// The fixed tree of all folds, ((0 1)(2 3))((4 5)(6 7)). For the sources of this folder, compiled once per
// instruction set. The tree splits at the largest power of two below the count; the left part is the first
// operand.
#include <hwy/highway.h>
#include <bit>
#include <cstddef>

#include "tutti/tensor/loops/simd/vector_fn_inl.hpp"

#if defined(TUTTI_TENSOR_TREE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_TREE_INL_HPP
#undef TUTTI_TENSOR_TREE_INL_HPP
#else
#define TUTTI_TENSOR_TREE_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// Folds rows.at(first, place..), rows.at(first + 1, place..), .. in the tree. `place` says which lanes.
template <ReduceKind kind, std::size_t count, class Rows, class... Place>
TUTTI_INLINE auto tree(const Rows& rows, std::size_t first, Place... place) {
  if constexpr (count == 1) {
    return rows.at(first, place...);
  } else {
    constexpr std::size_t left = std::bit_floor(count - 1);
    const auto low = tree<kind, left>(rows, first, place...);
    return fold<kind>(low, tree<kind, count - left>(rows, first + left, place...));
  }
}

template <ReduceKind kind>
struct Fold {
  template <class V>
  TUTTI_INLINE V operator()(V a, V b) const {
    return fold<kind>(a, b);
  }
};

/// Folds values in the tree as they arrive. Two subtrees of equal height merge, like a carry in a binary
/// counter.
template <class V, class Fold, std::size_t heights>
class PairwiseStack {
 public:
  TUTTI_INLINE PairwiseStack() {}  // a defaulted one is not compiled for this instruction set
  TUTTI_INLINE void push(V v) {
    for (std::size_t carry = pushed_++; carry % 2 == 1; carry /= 2) v = Fold()(stack_[--height_], v);
    stack_[height_++] = v;
  }
  /// The fold of all values that were pushed, and then `last`.
  TUTTI_INLINE V folded_with(V last) const {
    for (std::size_t level = height_; level > 0; --level) last = Fold()(stack_[level - 1], last);
    return last;
  }

 private:
  V stack_[heights];
  std::size_t height_ = 0, pushed_ = 0;
};

/// Rows of a block. Larger trees are folded from blocks.
constexpr std::size_t block_rows = 8;

/// Folds 1 to block_rows rows in the tree. A partial block goes through a stack: that is slower than
/// tree<count>, but tree is compiled for one count only.
template <ReduceKind kind, class D, class Rows, class... Place>
TUTTI_INLINE hn::Vec<D> tree_of_block(D, std::size_t count, const Rows& rows, std::size_t first,
                                      Place... place) {
  if (count == block_rows) return tree<kind, block_rows>(rows, first, place...);
  PairwiseStack<hn::Vec<D>, Fold<kind>, 4> stack;
  hn::Vec<D> last = rows.at(first, place...);
  for (std::size_t row = first + 1; row < first + count; ++row) {
    stack.push(last);
    last = rows.at(row, place...);
  }
  return stack.folded_with(last);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
