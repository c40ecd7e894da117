// SPDX-License-Identifier: Apache-2.0
// The windows of pools: what users write, and what the ops keep.
#pragma once

#include <string>
#include <vector>

#include "tutti/ir/rules.hpp"
#include "tutti/ops/windows/padding.hpp"
#include "tutti/tensor/loops/plain/moving_windows.hpp"

namespace tutti {

/// Options of reduce_window_sum and the like, by the names of jax.lax.reduce_window. Empty lists: 1 for each
/// dim.
struct ReduceWindowOptions {
  std::vector<std::int64_t> strides = {};  // from one window to the next
  WindowPadding padding = WindowPadding::valid;
  std::vector<std::int64_t> base_dilation = {};    // distance of the array's elements, as if spread apart
  std::vector<std::int64_t> window_dilation = {};  // distance of a window's elements
};

}  // namespace tutti

namespace tutti::ops {

/// One entry per dim of the array.
using WindowsAlong = std::vector<WindowAlong>;

/// "window=[..], strides=[..], low=[..], high=[..]", and the dilations if there are any.
Parameters parameters_of(const WindowsAlong& windows);
/// Throws T006 unless there is one entry per dim of `x`, T005 for numbers that no window has; `label` is the
/// constraint, by StableHLO's numbers: "reduce_window_c".
void require_windows(const WindowsAlong& windows, Type x, const std::string& label);
/// The shape of the array of windows.
Shape shape_of_windows(const WindowsAlong& windows, const Shape& x);
/// The same windows under a new dim 0, along which they do not move.
WindowsAlong with_batch_dim(const WindowsAlong& windows);
/// The windows that options describe. Throws T006 for lists of another length than x's rank, T005.
WindowsAlong windows_along(Type x, const std::vector<std::int64_t>& window,
                           const ReduceWindowOptions& options);

/// StableHLO's attributes of reduce_window.
stablehlo::Attributes window_attributes(const WindowsAlong& windows);

}  // namespace tutti::ops
