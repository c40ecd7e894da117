// SPDX-License-Identifier: Apache-2.0
// take and take_along_axis for ops and functions whose indices are never counted from the end.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ops/gather.hpp"

namespace tutti {

/// take, but a negative index is out of range. One gather, no arithmetic on the indices.
Array take_from_the_start(const Array& x, const Array& indices, Dim dim, GatherMode mode = GatherMode::clip);
/// The same of take_along_axis.
Array take_along_from_the_start(const Array& x, const Array& indices, Dim dim,
                                GatherMode mode = GatherMode::clip);

}  // namespace tutti
