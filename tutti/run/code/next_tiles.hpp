// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/code/region.hpp"

namespace tutti {

/// Adds prefetches of the next tile to code.whole, if code.code folds rows. The tile is that of the first
/// operand read from memory, and each instruction is preceded by one part of its prefetch. Without them
/// memory would be idle after a row is folded, while the remaining instructions work on cached tiles.
void fetch_next_tiles(RegionCode& code);

}  // namespace tutti
