// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace tutti {

/// FNV-1a of bytes, the same on all machines. `before`: the hash of the bytes in front of them.
inline std::uint64_t hash_of(std::string_view bytes, std::uint64_t before = 14695981039346656037U) {
  for (const char byte : bytes) before = (before ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  return before;
}

}  // namespace tutti
