// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/pooling.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/windows/reduce_window.hpp"

namespace tutti {
namespace {

using Sizes = std::vector<std::int64_t>;

// The windows of an array whose last dim has the features.
WindowsAlong windows_of_pool(Type x, const Sizes& window, const PoolOptions& options) {
  require(x.rank() > std::ssize(window), Code::dim,
          "window {} for {}; it stands before the last dim, which has the features (reduce_window_c4)",
          bracketed(window), x);
  const auto first = static_cast<std::size_t>(x.rank()) - window.size() - 1;
  const std::vector<std::int64_t>& all = x.shape().sizes();
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  const Type space(x.dtype(), Shape(Sizes(begin, begin + std::ssize(window))));
  WindowsAlong windows =
      windows_along(space, window, {.strides = options.strides, .padding = options.padding});
  windows.insert(windows.begin(), first, WindowAlong{});
  windows.push_back({});
  return windows;
}

Array pool(std::string_view name, ReduceKind kind, const Operand& x, const Sizes& window,
           const PoolOptions& options) {
  return front_end(name, x.where(), [&] {
    const Array array = as_array(x);
    return apply_one(ReduceWindow{kind, windows_of_pool(array.type(), window, options)}, {array});
  });
}

}  // namespace

Array max_pool(const Operand& x, const Sizes& window, const PoolOptions& options) {
  return pool("max_pool", ReduceKind::max, x, window, options);
}

Array min_pool(const Operand& x, const Sizes& window, const PoolOptions& options) {
  return pool("min_pool", ReduceKind::min, x, window, options);
}

Array avg_pool(const Operand& x, const Sizes& window, const PoolOptions& options) {
  return front_end("avg_pool", x.where(), [&] {
    const Array array = as_array(x);
    require(is_inexact(array.dtype()), Code::dtype, "{} has no means of its dtype; convert it first: {}",
            array.type(), conversion_to(DType::f32));
    const WindowsAlong windows = windows_of_pool(array.type(), window, options);
    const Array sum = apply_one(ReduceWindow{ReduceKind::sum, windows}, {array});
    if (options.count_include_pad) {
      double count = 1;
      for (const std::int64_t size : window) count *= static_cast<double>(size);
      return sum / count;
    }
    Sizes space = array.shape().sizes();  // equal for all images and features
    for (std::size_t i = 0; i < space.size(); ++i)
      if (i + 1 == space.size() || i + 1 + window.size() < space.size()) space[i] = 1;
    return sum / apply_one(ReduceWindow{ReduceKind::sum, windows}, {ones(Shape(space), array.dtype())});
  });
}

}  // namespace tutti
