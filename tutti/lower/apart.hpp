// SPDX-License-Identifier: Apache-2.0
// Collectives in branches and loops that only some devices run.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/ops/collectives/permute.hpp"

namespace tutti {

/// The axes along which devices may go different ways inside of this op: its index or test differs between
/// them.
Axes divergent_axes(const Op& op, const Types& operands);

/// The permutation of a value of type `x` by an all_gather over its axes. In XLA a collective_permute waits
/// for all devices of the module, also for those that go another way and never come; an all_gather waits for
/// its group.
Program permute_by_gather(const Permute& permute, Type x);

}  // namespace tutti
