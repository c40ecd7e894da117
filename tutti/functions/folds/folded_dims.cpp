// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/folded_dims.hpp"

#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/reshape.hpp"

namespace tutti {

Dims folded_dims(const Array& x, const WhichDims& dims) {
  const Dims folded = dims.resolve(x.type());
  require_distinct(folded, x.type(), "reduce_c5");
  return folded;
}

Array with_kept_dims(const Array& folded, const Array& x, const Dims& dims, bool keepdims) {
  if (!keepdims) return folded;
  Shape kept = x.shape();
  for (Dim dim : dims) kept = kept.with(dim, 1);
  return reshape(folded, kept);
}

Array spread_along(const Array& folded, const Array& x, const Dims& dims) {
  return insert_dims(folded, dims, x.shape());
}

std::int64_t folded_elements(const Array& x, const Dims& dims) {
  std::int64_t elements = 1;
  for (Dim dim : dims) elements *= x.shape()[dim];
  return elements;
}

Array as_inexact(const Array& x) { return is_inexact(x.dtype()) ? x : convert(x, DType::f32); }

Array as_computed(const Array& x) {
  return is_inexact(x.dtype()) && !is_half(x.dtype()) ? x : convert(x, DType::f32);
}

Array is_nan_in(const Array& x) { return not_equal(x, x); }

}  // namespace tutti
