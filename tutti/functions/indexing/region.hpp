// SPDX-License-Identifier: Apache-2.0
// Indices that are known when a program is traced: every stride-th element of a box.
#pragma once

#include "tutti/functions/indexing/index_items.hpp"
#include "tutti/ops/scatter.hpp"

namespace tutti {

/// x[items], of items without lookups: views of x.
Array read_region(const Array& x, const IndexItems& items);
/// The shape of x[items].
Shape region_shape(const IndexItems& items);
/// x with x[items] replaced by `updates`, which has that shape.
/// Cost: one copy of the region if its steps are 1 (see DynamicUpdateSlice), else two passes over x.
Array write_region(const Array& x, const IndexItems& items, const Array& updates);

}  // namespace tutti
