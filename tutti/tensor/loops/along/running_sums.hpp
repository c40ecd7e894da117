// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti {

/// Running sums along a dim, with the bits of ops::cumulative.
using RunningSumsKernel = void (*)(std::byte* out, const std::byte* in, const ops::AlongDim& shape,
                                   Order order);
/// Null for dtypes without vectors.
RunningSumsKernel running_sums_kernel(DType dtype);

}  // namespace tutti
