// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/hash.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti {

/// FNV-1a of a tensor's elements. `before`: the hash of what is in front of them.
inline std::uint64_t hash_of(const Tensor& tensor, std::uint64_t before = hash_of("")) {
  return hash_of({reinterpret_cast<const char*>(tensor.data()), tensor.bytes()}, before);
}

}  // namespace tutti
