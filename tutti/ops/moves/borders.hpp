// SPDX-License-Identifier: Apache-2.0
// Shared code of Enter and Leave, the borders of shard_map.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/devices/kernel.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// The digits that map a whole value of type `whole` to the parts of the devices.
kernel::View sharding_view(Type whole, const Sharding& sharding);
/// The sharding of the same value with a batch dim in front.
Sharding with_batch_dim(const Sharding& sharding);

}  // namespace tutti
