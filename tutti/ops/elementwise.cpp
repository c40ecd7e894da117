// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/elementwise.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti {

std::string conversion_to(DType dtype) {
  return fmt::format("convert(x, DType::{})", dtype == DType::boolean ? "boolean" : name(dtype));
}

void require_same_dtype(Type a, Type b) {
  // To the later one of bool, i32, i64, f32, f64, which loses least.
  require(a.dtype() == b.dtype(), Code::dtype, "{} and {} have different dtypes; convert one of them: {}",
          to_string(a), to_string(b), conversion_to(std::max(a.dtype(), b.dtype())));
}

void require_same_elements(Type a, Type b) {
  require_same_dtype(a, b);
  require(a.shape() == b.shape(), Code::shape, "{} and {} have different shapes; use broadcast_in_dim first",
          to_string(a), to_string(b));
}

}  // namespace tutti
