// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/kernels/gpu/group.hpp"
#include "tutti/kernels/spec/canonical.hpp"

namespace tutti::kernels {

/// A block of a rank's array. `layout` counts bytes.
struct BlockPlace {
  int rank = 0;
  DeviceAddress array = 0;
  BlockedArray layout;
  int block = 0;
};

/// Copies a block: queues driver copies on the stream of the target's rank. Both blocks have the same number
/// of bytes, in the same order. Queues nothing if source and target are the same block.
void queue_copy(const Group& group, const BlockPlace& source, const BlockPlace& target);

}  // namespace tutti::kernels
