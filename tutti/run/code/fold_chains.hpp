// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/code/region.hpp"

namespace tutti {

/// Copies code.code to code.whole, which must be empty, and puts fold chains in. A fold chain replaces a sum,
/// functions of the sum and single elements, and the chain that reads their result, if nothing else reads the
/// sum or these values. Worth it only for data larger than the caches: with cached data a link of 1 MiB takes
/// 165 us instead of 140.
void join_folds(RegionCode& code);

}  // namespace tutti
