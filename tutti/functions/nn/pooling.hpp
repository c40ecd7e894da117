// SPDX-License-Identifier: Apache-2.0
// Pools: folds of the windows of images; programs show the ops.
#pragma once

#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/windows/window_options.hpp"

namespace tutti {

/// Options of max_pool, min_pool and avg_pool, one entry for each dim of the window.
struct PoolOptions {
  std::vector<std::int64_t> strides = {};  // empty: 1 each
  WindowPadding padding = WindowPadding::valid;
  bool count_include_pad = true;  // avg_pool only; false: the padding does not count in the mean
};
/// The largest element of each window, as flax.linen.max_pool. The dims of the window stand before the last,
/// which has the features: window {2, 2} of [n, h, w, c] -> [n, h - 1, w - 1, c] with strides of 1. Padding
/// never is the largest. Of equal elements the first has the derivative.
/// Throws T006 unless x has more dims than the window, and one entry of strides and padding for each of its
/// dims (reduce_window_c4, _c6, _c12), T005 for sizes and strides below 1 (_c5, _c7), T007, T004.
Array max_pool(const Operand& x, const std::vector<std::int64_t>& window, const PoolOptions& options = {});
/// The smallest element of each window; otherwise as max_pool.
Array min_pool(const Operand& x, const std::vector<std::int64_t>& window, const PoolOptions& options = {});
/// The mean of each window of floats or complex numbers, with zeros for padding: as flax.linen.avg_pool.
Array avg_pool(const Operand& x, const std::vector<std::int64_t>& window, const PoolOptions& options = {});

}  // namespace tutti
