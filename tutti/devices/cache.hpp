// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tutti {

/// Bytes of the last cache before memory, that the workers share; 32 MiB where the machine does not say.
std::int64_t last_cache_bytes();
/// Bytes of the largest cache that a core has to itself; 1 MiB where the machine does not say.
std::int64_t core_cache_bytes();

}  // namespace tutti
