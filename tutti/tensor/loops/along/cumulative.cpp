// SPDX-License-Identifier: Apache-2.0
// Chooses the loop of a running fold.
#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/along/running_sums.hpp"
#include "tutti/tensor/loops/plain/plain_cumulative.hpp"

namespace tutti {

void ops::cumulative(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype,
                     CumulativeKind kind, Order order) {
  const RunningSumsKernel sums = kind == CumulativeKind::sum ? running_sums_kernel(dtype) : nullptr;
  if (sums != nullptr) sums(out, in, shape, order);
  else plain_cumulative(out, in, shape, dtype, kind, order);
}

}  // namespace tutti
