// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

/// Folds lines of at most `longest` floats as they arrive, in the tree ((0 1)(2 3))((4 5)(6 7)). Two subtrees
/// of equal height merge, like a carry in a binary counter.
template <class T, std::int64_t longest>
class PairwiseLines {
 public:
  PairwiseLines(ReduceKind kind, std::int64_t width)
      : kernel_(fold_kernel(kind, dtype_of<T>())), width_(width) {}

  /// The buffer for the next line; call push() once the line is written.
  T* next() { return lines_[height_]; }
  void push() {
    ++height_;
    for (std::uint64_t carry = pushed_++; carry % 2 == 1; carry /= 2) merge();
  }
  /// The fold of all lines. Requires at least one line.
  T* folded() {
    while (height_ > 1) merge();
    return lines_[0];
  }

 private:
  void merge() {
    const std::byte* const both[] = {reinterpret_cast<std::byte*>(lines_[height_ - 2]),
                                     reinterpret_cast<std::byte*>(lines_[height_ - 1])};
    kernel_(reinterpret_cast<std::byte*>(lines_[height_ - 2]), both, 2, width_, Load::plain, Store::plain);
    --height_;
  }

  FoldKernel kernel_;
  std::int64_t width_;
  alignas(64) T lines_[64][static_cast<std::size_t>(longest)];
  std::size_t height_ = 0;
  std::uint64_t pushed_ = 0;
};

}  // namespace tutti
