// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/statistics.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

// `folded`, which lacks the dims of `x` that were folded away, along them again.
Array spread(const Array& folded, const Dims& dims, const Array& x) {
  return insert_dims(folded, dims, x.shape());
}

// Of f16 and bf16 rounded once.
Array mean_over(const Array& x, const Dims& dims) {
  if (is_half(x.dtype())) return convert(mean_over(convert(x, DType::f32), dims), x.dtype());
  std::int64_t elements = 1;
  for (Dim dim : dims) elements *= x.shape()[dim];
  Array floats = is_inexact(x.dtype()) ? x : convert(x, DType::f32);
  return reduce_sum(floats, dims) / static_cast<double>(elements);
}

}  // namespace

Array mean(const Operand& x, const WhichDims& dims) {
  return front_end("mean", x.where(), [&] {
    Array array = as_array(x);
    return mean_over(array, dims.resolve(array.type()));
  });
}

Array variance(const Operand& x, const WhichDims& dims) {
  return front_end("variance", x.where(), [&] {
    Array array = as_array(x);
    DType own = array.dtype();
    if (!is_inexact(own) || is_half(own)) array = convert(array, DType::f32);
    Dims folded = dims.resolve(array.type());
    Array away = array - spread(mean_over(array, folded), folded, array);
    if (is_complex(own)) return mean_over(square(real(away)) + square(imag(away)), folded);
    Array found = mean_over(away * away, folded);
    return is_half(own) ? convert(found, own) : found;
  });
}

Array standardize(const Operand& x, const WhichDims& dims, double epsilon) {
  return front_end("standardize", x.where(), [&] {
    Array array = as_array(x);
    DType own = array.dtype();
    require(!is_complex(own), Code::dtype,
            "{} is complex; standardize its parts: standardize(real(x)), standardize(imag(x))",
            to_string(array.type()));
    if (!is_inexact(own) || is_half(own)) array = convert(array, DType::f32);
    Dims folded = dims.resolve(array.type());
    Array away = array - spread(mean_over(array, folded), folded, array);
    Array found = away * spread(rsqrt(mean_over(away * away, folded) + epsilon), folded, array);
    return is_half(own) ? convert(found, own) : found;
  });
}

}  // namespace tutti
