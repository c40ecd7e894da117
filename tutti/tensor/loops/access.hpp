// SPDX-License-Identifier: Apache-2.0
// How loops read and write memory.
#pragma once

#include <cstdint>

namespace tutti {

/// How a kernel reads an operand: element i, or the first element for every i.
enum class Stride : std::uint8_t { dense, scalar };
/// How a fold reads its operands. `ahead`: where possible also prefetches the following lines, which pays
/// only when the operands are not cached.
enum class Load : std::uint8_t { plain, ahead };
/// How a fold or a chain writes its result. `streaming`: where possible with non-temporal stores, if the
/// result begins on a line of 64 bytes. Call finish_streaming() (stream.hpp) after the last one.
enum class Store : std::uint8_t { plain, streaming };

}  // namespace tutti
