// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tutti {

/// An element of 16 bytes, for loops that only move it: complex128.
struct SixteenBytes {
  std::uint64_t parts[2];
};

}  // namespace tutti
