// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tutti {

/// The most bytes that `new` had given out at once since count_from_here(), beyond those at that time. The operators of
/// this test program count.
std::size_t most_bytes();
void count_from_here();

}  // namespace tutti
