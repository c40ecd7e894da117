// SPDX-License-Identifier: Apache-2.0
// Non-temporal stores, which bypass the caches. A plain store first reads the line that it overwrites: a
// third of all traffic if results are larger than the caches. If results fit, non-temporal stores are up to
// three times slower.
#pragma once

#include <cstddef>
#include <span>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/copies.hpp"

namespace tutti {

void stream(std::byte* to, const std::byte* from, std::size_t bytes);
/// strided_copy, with non-temporal stores for dense runs.
void strided_stream(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops,
                    std::size_t element_bytes);
/// Prefetches lines into L2. Safe for any address.
void fetch(const std::byte* from, std::size_t bytes);
/// Orders earlier non-temporal stores before later stores. Call it before another thread may read the
/// results.
void finish_streaming();

}  // namespace tutti
