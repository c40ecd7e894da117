// SPDX-License-Identifier: Apache-2.0
// Stores that go past the caches. A plain store first reads the line that it overwrites: for results larger than the
// caches a third of all traffic. For results that fit these are up to three times slower.
#pragma once

#include <cstddef>
#include <span>

#include "tutti/tensor/loops/copies.hpp"

namespace tutti {

void stream(std::byte* to, const std::byte* from, std::size_t bytes);
/// strided_copy; dense runs are streamed.
void strided_stream(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops,
                    std::size_t element_bytes);
/// Asks for lines to come into the second cache while something else is done. They need not be there, nor be memory.
void fetch(const std::byte* from, std::size_t bytes);
/// Call it before telling another thread that what was streamed is there: these stores wait for nobody.
void finish_streaming();

}  // namespace tutti
