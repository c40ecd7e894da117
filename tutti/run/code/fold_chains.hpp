// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/code/region.hpp"

namespace tutti {

/// Fills in code.whole, which is empty before: code.code, with one kernel for each sum that only what follows it reads: functions of the sum
/// and one element, then a chain. In the caches it is slower than their tiles: 165 us against 140 for a link of 1 MiB.
void join_folds(RegionCode& code);

}  // namespace tutti
