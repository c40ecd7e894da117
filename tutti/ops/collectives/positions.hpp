// SPDX-License-Identifier: Apache-2.0
// Batch rules of collectives over an axis that vmap removes, where the pattern is not regular: permutations,
// groups.
// They gather what all positions along the axes hold, choose by a table, and give every position its own.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/devices/groups.hpp"
#include "tutti/ir/rules.hpp"

namespace tutti {

/// The values at all positions along `axes`, in order: [n, ..]. They are equal along all these axes except
/// `axis`.
Array of_all_positions(const Batched& x, const Axes& axes, const Axis& axis);
/// Each position along `axes` takes its row of [n, ..].
BatchedArrays to_own_positions(const Array& all, const Axes& axes, const Axis& axis);
/// [n, ..] -> [n, ..]: every position has the fold of its group, in mesh order. Groups are written out.
Array fold_groups(const Array& all, ReduceKind kind, const Axes& axes, const Groups& groups);

}  // namespace tutti
