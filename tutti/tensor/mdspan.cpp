// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/mdspan.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "tutti/base/require.hpp"

namespace tutti {

std::size_t internal::row_major_elements(const Shape& shape, const std::vector<std::int64_t>& strides,
                                         Where where, const char* name) try {
  shape.check();
  const std::int64_t elements = shape.elements();
  std::int64_t expected = 1;
  for (std::size_t i = strides.size(); i-- > 0 && elements > 0;) {
    const std::int64_t size = shape.sizes()[i];
    require(
        size == 1 || strides[i] == expected, Code::shape,
        "dim {} of [{}] has stride {} where row-major order without gaps has {}; copy the elements into a "
        "row-major array first",
        i, to_string(shape), strides[i], expected);
    expected *= size;
  }
  return static_cast<std::size_t>(elements);
} catch (const Error& error) {
  throw error.at(where, name);
}

}  // namespace tutti
