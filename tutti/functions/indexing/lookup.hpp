// SPDX-License-Identifier: Apache-2.0
// Indices with arrays among them, as one gather or scatter.
#pragma once

#include "tutti/functions/indexing/index_items.hpp"
#include "tutti/ops/window_dims.hpp"

namespace tutti {

/// x[items] = gather(x, indices, dims, sizes), without a transpose: dims that array indices give and dims of
/// windows stand where NumPy has them.
struct Lookup {
  GatherDims dims;
  WindowSizes sizes;
  Array indices;
  Shape shape;  // of x[items]
};
/// Negative indices count from the end; others are as given. Throws T005 for arrays that do not broadcast.
Lookup lookup_of(const IndexItems& items, const Shape& x);

/// x[items], each start brought inside, if all array indices are scalars and all ranges windows: by
/// dynamic_slice.
std::optional<Array> read_window(const Array& x, const IndexItems& items);

}  // namespace tutti
