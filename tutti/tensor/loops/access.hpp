// SPDX-License-Identifier: Apache-2.0
// How loops read and write memory.
#pragma once

#include <cstdint>

namespace tutti {

/// How a kernel reads an operand: element i, or the first element for every i.
enum class Stride : std::uint8_t { dense, scalar };
/// How a fold reads its operands. Ahead: their next lines are fetched meanwhile, as far as it can, which pays where no
/// cache has them.
enum class Load : std::uint8_t { plain, ahead };
/// How a fold or a chain writes its result. Streaming: past the caches, as far as it can, if that begins on a line of
/// 64 bytes; stream.hpp says what to do after the last.
enum class Store : std::uint8_t { plain, streaming };

}  // namespace tutti
