// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/borders.hpp"

namespace tutti {

View sharding_view(Type whole, const Sharding& sharding) {
  View view;
  for (int i = 0; i < whole.rank(); ++i) {
    std::int64_t weight = whole.shape()[i];
    for (const Axis& axis : sharding.dims[static_cast<std::size_t>(i)]) {
      weight /= axis.size;
      view.digits.push_back({axis.size, along(Dim{i}, weight), along(axis)});
    }
    view.digits.push_back({weight, along(Dim{i}), along(Dim{i})});
  }
  return view;
}

Sharding with_batch_dim(const Sharding& sharding) {
  Sharding batched = sharding;
  batched.dims.insert(batched.dims.begin(), Axes{});
  return batched;
}

}  // namespace tutti
