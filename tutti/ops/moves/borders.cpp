// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/moves/borders.hpp"

namespace tutti {

kernel::View sharding_view(Type whole, const Sharding& sharding) {
  kernel::View view;
  for (int i = 0; i < whole.rank(); ++i) {
    std::int64_t weight = whole.shape()[i];
    for (const Axis& axis : sharding.dims[static_cast<std::size_t>(i)]) {
      weight /= axis.size;
      view.digits.push_back({axis.size, kernel::along(Dim{i}, weight), kernel::along(axis)});
    }
    view.digits.push_back({weight, kernel::along(Dim{i}), kernel::along(Dim{i})});
  }
  return view;
}

Sharding with_batch_dim(const Sharding& sharding) {
  Sharding batched = sharding;
  batched.dims.insert(batched.dims.begin(), Axes{});
  return batched;
}

}  // namespace tutti
