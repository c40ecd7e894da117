// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/code/region.hpp"

namespace tutti {

/// If code.code folds rows: puts between the instructions of code.whole, part by part, a fetch of the next tile of what
/// it first reads. A row is folded before the rest can be done with it: without this the memory rests meanwhile.
void fetch_next_tiles(RegionCode& code);

}  // namespace tutti
