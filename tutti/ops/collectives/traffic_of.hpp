// SPDX-License-Identifier: Apache-2.0
// The least bytes of collectives whose devices all do the same.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/devices/traffic.hpp"
#include "tutti/types/type.hpp"

namespace tutti {

/// Each device hands in a term and gets the sum: it sends the shares of the others, and then the sum of its
/// own share.
Traffic sum_traffic(Type term, const Axes& axes, const Groups& groups);
/// Each device keeps one of n equal shares of its operand and sends the others.
Traffic share_traffic(Type operand, const Axes& axes, const Groups& groups);
/// Each device gets the blocks of all others.
Traffic gather_traffic(Type block, const Axes& axes, const Groups& groups);
/// One device has a value that all others get.
Traffic first_traffic(Type value, const Axes& axes);

}  // namespace tutti
