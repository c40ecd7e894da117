// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/kernels/gpu/group.hpp"
#include "tutti/kernels/spec/canonical.hpp"

namespace tutti::kernels {

/// A block in an array of a rank. The layout is in bytes.
struct BlockPlace {
  int rank = 0;
  DeviceAddress array = 0;
  BlockedArray layout;
  int block = 0;
};

/// Queues copies of the driver on the stream of the target's rank. Both blocks have the same bytes in the same order.
/// Nothing is queued if they are one.
void queue_copy(const Group& group, const BlockPlace& source, const BlockPlace& target);

}  // namespace tutti::kernels
