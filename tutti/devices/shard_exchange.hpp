// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tutti/base/inside.hpp"
#include "tutti/devices/global_array.hpp"
#include "tutti/devices/transport.hpp"

namespace tutti {

/// As `distribute`, of an array whose shards lie on several processes, for the same processes. Each receives
/// the elements that its devices need and it has not, of the first process after it that holds them; terms
/// are summed in mesh order where they arrive. All processes call it at the same point of their programs.
void exchange_shards(const GlobalArray& array, const Sharding& sharding, Transport& transport, std::byte* to,
                     std::size_t shard_stride);

}  // namespace tutti
