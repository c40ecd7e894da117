// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "tutti/base/inside.hpp"
#include "tutti/devices/kernel.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti::ops {

/// How workers share a loop along a dim: they share its outer positions, or its inner ones if these are more.
class LinesAlongDim {
 public:
  /// The result is like the operand, with another number of elements along the dim.
  LinesAlongDim(const AlongDim& operand, std::int64_t elements_of_result)
      : operand_(operand), elements_of_result_(elements_of_result) {}

  kernel::Opaque::Shared shared() const {
    constexpr std::int64_t columns = 16;  // a block has whole cache lines of most arrays
    if (shares_outer()) return {operand_.outer};
    return {operand_.inner, std::max<std::int64_t>(1, operand_.outer * elements_of_result_), columns};
  }

  struct Part {
    AlongDim shape;
    std::int64_t operand, result;  // the first element of the part
  };
  Part part(const kernel::Lines& lines) const {
    const std::int64_t begin = lines.begin;
    if (!shares_outer()) return {{operand_.outer, operand_.n, lines.count(), operand_.stride}, begin, begin};
    return {{lines.count(), operand_.n, operand_.inner, operand_.stride},
            begin * operand_.n * operand_.stride,
            begin * elements_of_result_ * operand_.stride};
  }

 private:
  bool shares_outer() const { return operand_.outer >= operand_.inner; }

  AlongDim operand_;
  std::int64_t elements_of_result_;
};

/// `data`: std::byte* or const std::byte*.
template <class Byte>
Byte* element_at(Byte* data, std::int64_t element, DType dtype) {
  return data + element * static_cast<std::int64_t>(bytes_per_element(dtype));
}

}  // namespace tutti::ops
