// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/region.hpp"

namespace tutti {

/// Puts between the instructions of code.whole, part by part, a fetch of the next tile of what rows are folded of. A row
/// is folded before anything else can be done with it: without this the memory rests in the meantime.
void fetch_next_tiles(RegionCode& code);

}  // namespace tutti
