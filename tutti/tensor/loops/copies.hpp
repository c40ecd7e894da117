// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti {

/// A strided copy: loops over `sizes`, outermost first, strides in bytes (0 = repeat). Dense runs are copied
/// as such.
struct CopyLoop {
  std::int64_t size, to_stride, from_stride;
};
void strided_copy(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops,
                  std::size_t element_bytes);

/// n elements of `element_bytes` each, all equal to the one at `element`.
void fill(std::byte* to, const std::byte* element, std::int64_t n, std::size_t element_bytes);

}  // namespace tutti
