// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace tutti {

/// On a line of 64 bytes or a page of 4 KiB. A page is for what one worker writes again and again: processors
/// fetch ahead to the end of a page, so one that reads the memory before it does not take its lines away.
enum class BlockStart { line, page };
/// Memory for arrays: zeroed, freed with the last owner. Blocks from 2 MiB on are mapped on their own, on
/// huge pages where the system has them. Throws R003 (memory).
std::shared_ptr<std::byte> allocate_block(std::size_t bytes, BlockStart start = BlockStart::line);

/// How far apart neighbouring shards of an array lie: densely while they are small, else off the powers of
/// two, where whoever reads all shards at once would find them in few cache sets (1.2 times slower).
std::size_t shard_stride(std::size_t shard_bytes);

}  // namespace tutti
