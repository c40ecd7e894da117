// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/elementwise.hpp"

#include "tutti/base/require.hpp"

namespace tutti {

void require_same_elements(Type a, Type b) {
  require(a.dtype() == b.dtype(), Code::dtype,
          "{} and {} have different dtypes; convert one of them: convert(x, DType::{})", to_string(a),
          to_string(b), name(a.dtype()));
  require(a.shape() == b.shape(), Code::shape, "{} and {} have different shapes; use broadcast_in_dim first",
          to_string(a), to_string(b));
}

}  // namespace tutti
