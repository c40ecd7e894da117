// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tutti/base/namespaces.hpp"

namespace tutti::internal {

/// A loop of a strided copy. Strides are in bytes; from_stride 0 repeats an element.
struct CopyLoop {
  std::int64_t size, to_stride, from_stride;
};
/// Copies elements along nested `loops`, outermost first. Dense runs are copied as a whole.
void strided_copy(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops,
                  std::size_t element_bytes);

/// Writes n copies of the element at `element`, which has `element_bytes` bytes.
void fill(std::byte* to, const std::byte* element, std::int64_t n, std::size_t element_bytes);

}  // namespace tutti::internal
