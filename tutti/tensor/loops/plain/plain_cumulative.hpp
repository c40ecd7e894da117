// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti::ops {

/// ops::cumulative by plain loops.
void plain_cumulative(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype,
                      CumulativeKind kind, Order order);

}  // namespace tutti::ops
