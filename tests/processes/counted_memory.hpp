// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tutti {

// The operators `new` of this test program count.

/// The most bytes that were taken at once since count_from_here(), beyond those at that time. The C library
/// gives some pieces a few bytes more than they need, now and then.
std::size_t most_bytes();
/// How often memory was taken since count_from_here().
std::size_t allocations();
void count_from_here();

}  // namespace tutti
