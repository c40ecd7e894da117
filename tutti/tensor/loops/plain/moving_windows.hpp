// SPDX-License-Identifier: Apache-2.0
// Loops over windows that move over an array: pools and their derivatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti::ops {

/// How a window moves along one dim. The dim is first dilated: base_dilation - 1 places stand between two
/// elements; then `low` places stand in front and `high` behind, negative ones are cut off. Window w has the
/// `size` places w * stride, w * stride + window_dilation, .. Only places that hold an element count.
struct WindowAlong {
  std::int64_t size = 1, stride = 1, low = 0, high = 0, base_dilation = 1, window_dilation = 1;

  /// The extent of a window, with the places between its elements.
  std::int64_t extent() const { return (size - 1) * window_dilation + 1; }
  /// The number of places of a dim of `elements`.
  std::int64_t places(std::int64_t elements) const {
    return low + (elements == 0 ? 0 : (elements - 1) * base_dilation + 1) + high;
  }
  /// The number of windows that lie inside the places of a dim of `elements`.
  std::int64_t windows(std::int64_t elements) const {
    return places(elements) < extent() ? 0 : (places(elements) - extent()) / stride + 1;
  }
  /// True if each window is one element, in order.
  bool is_trivial() const { return *this == WindowAlong{}; }
  bool operator==(const WindowAlong&) const = default;
};

/// The windows of a dense array, in row-major order. Elements count from 0.
/// The last dims along which windows do not move are `inner` elements, which each window takes whole.
/// A line is all windows that differ only in the last dim that windows move along.
class MovingWindows {
 public:
  MovingWindows(const std::vector<std::int64_t>& sizes, const std::vector<WindowAlong>& windows);

  /// How many lines there are.
  std::int64_t lines() const { return lines_; }
  /// How many elements each window takes whole.
  std::int64_t inner() const { return inner_; }
  /// The number of blocks: parts of the array that have windows of their own, one after the other.
  std::int64_t blocks() const { return blocks_; }
  /// How many lines a block has.
  std::int64_t lines_of_block() const { return blocks_ == 0 ? 0 : lines_ / blocks_; }
  /// How many elements of the array a block has.
  std::int64_t elements_of_block() const { return block_elements_; }

  /// Calls f(window, begins) for the windows of these lines. `window`: the first of its `inner` elements in
  /// the array of windows. `begins`: where the inner elements of each of its places begin in the array, in
  /// row-major order.
  template <class F>
  void for_each(std::int64_t begin, std::int64_t end, const F& f) const;

 private:
  /// Elements of a window along a dim: count, from an offset on, so far apart.
  struct Run {
    std::int64_t begin = 0, count = 0, step = 0;
  };
  struct Loop {
    WindowAlong window;
    std::int64_t size, windows;  // elements of the dim, windows along it
    std::int64_t stride;         // of the array
    Run run(std::int64_t window) const;
  };

  std::vector<std::int64_t> begins_of_line(std::int64_t line) const;

  std::vector<Loop> loops_;  // one at least
  std::int64_t inner_ = 1, lines_ = 1, blocks_ = 1, block_elements_ = 1;
};

/// Each loop does the lines [begin, end) of the windows, or the blocks.

/// out[w] = the fold of the elements of window w: sum, max or min; of none the neutral element. Sums of f16
/// and bf16 are rounded once; sums start from +0. NaN propagates, -0 < +0. There is no sum of bool, and no
/// max or min of complex numbers.
void reduce_windows(std::byte* out, const std::byte* in, const MovingWindows& windows, DType dtype,
                    ReduceKind kind, std::int64_t begin, std::int64_t end);

/// The place that is selected in a window: the first element, replaced by a later one unless it is >= that
/// one (<= for the smallest). So of equal elements the first is selected, and a NaN gives way to the next.

/// out[w] = the element of `source` at the place that is selected in window w of `chooser`; 0 of no elements.
void select_and_gather(std::byte* out, const std::byte* source, const std::byte* chooser,
                       const MovingWindows& windows, DType dtype, Extreme extreme, std::int64_t begin,
                       std::int64_t end);

/// out = zeros, and source[w] added at the place that is selected in window w of `chooser`, in order of w.
/// Sums of f16 and bf16 are rounded once. `scratch` has scratch_of_scatter bytes.
void select_and_scatter(std::byte* out, const std::byte* source, const std::byte* chooser,
                        const MovingWindows& windows, DType dtype, Extreme extreme, std::int64_t begin_block,
                        std::int64_t end_block, std::byte* scratch);
std::size_t scratch_of_scatter(const MovingWindows& windows, DType dtype);

}  // namespace tutti::ops
