// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace tutti {

/// Memory for arrays: zeroed, 64-byte aligned, freed with the last owner. Large blocks are mapped on their own, on huge
/// pages where the system has them. Throws R003 (memory).
std::shared_ptr<std::byte> allocate_block(std::size_t bytes);

/// How far apart neighbouring shards of an array lie: densely while they are small, else off the powers of two, where
/// whoever reads all shards at once would find them in few cache sets (1.2 times slower).
std::size_t shard_stride(std::size_t shard_bytes);

}  // namespace tutti
