// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/statistics.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/functions/folds/folded_dims.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

// The mean. f16 and bf16 are rounded once.
Array mean_over(const Array& x, const Dims& dims) {
  if (is_half(x.dtype())) return convert(mean_over(convert(x, DType::f32), dims), x.dtype());
  Array floats = as_inexact(x);
  return reduce_sum(floats, dims) / static_cast<double>(folded_elements(x, dims));
}

// The f32 `x`, made from `own`, minus its first element along `dims`, whose derivative cancels out. Numbers
// of bf16 lie up to 3.39e38: they minus less than 1e36 are finite in f32. From a larger first element nothing
// is taken.
Array from_the_first(const Array& x, DType own, const Dims& dims) {
  if (folded_elements(x, dims) == 0) return x;
  Shape limit = x.shape();
  for (Dim dim : dims) limit = limit.with(dim, 1);
  const std::vector<std::int64_t> start(static_cast<std::size_t>(x.rank()));
  Array first = slice_in_dims(stop_gradient(x), {.start = start, .limit = limit.sizes()});
  if (own == DType::bf16) first = select(abs(first) < 1e36, first, 0);
  return x - broadcast_to(first, x.shape());
}

// x minus its mean. f16, bf16 and integers, here `own`, become f32, and are counted from their first element:
// XLA rounds a mean in more than one way in one program, so equal numbers would be other than 0.
Array away_from_mean(const Array& own, const Dims& dims) {
  const Array x = as_computed(own);
  const Array counted = x.dtype() == own.dtype() ? x : from_the_first(x, own.dtype(), dims);
  return counted - spread_along(mean_over(counted, dims), counted, dims);
}

// Not yet rounded to f16 or bf16.
Array variance_over(const Array& x, const Dims& dims, double ddof) {
  const Array away = away_from_mean(x, dims);
  const double divisor = std::max(static_cast<double>(folded_elements(x, dims)) - ddof, 0.0);
  if (!is_complex(x.dtype())) return reduce_sum(away * away, dims) / divisor;
  const Array of_real = square(real(away));
  return reduce_sum(of_real + square(imag(away)), dims) / divisor;
}

Array in_half_of(const Array& x, const Array& found) {
  return is_half(x.dtype()) ? convert(found, x.dtype()) : found;
}

}  // namespace

Array mean(const Operand& x, const WhichDims& dims, const MeanOptions& options) {
  return front_end("mean", x.where(), [&] {
    Array array = as_array(x);
    Dims folded = folded_dims(array, dims);
    return with_kept_dims(mean_over(array, folded), array, folded, options.keepdims);
  });
}

Array nanmean(const Operand& x, const WhichDims& dims, const MeanOptions& options) {
  return front_end("nanmean", x.where(), [&] {
    const Array given = as_array(x);
    if (!is_inexact(given.dtype())) return mean(given, dims, options);
    const Array array = as_computed(given), is_nan = is_nan_in(array);
    const Dims folded = folded_dims(given, dims);
    const Array total = reduce_sum(select(is_nan, 0, array), folded);
    const Array count = reduce_sum(convert(~is_nan, array.dtype()), folded);
    return with_kept_dims(in_half_of(given, total / count), given, folded, options.keepdims);
  });
}

namespace {

// The weights in the shape of x.
Array weights_of(const Array& x, const Array& weights, const Dims& dims) {
  if (weights.shape() == x.shape()) return weights;
  const bool are_of_dim = dims.size() == 1 && weights.rank() == 1 && weights.dim(0) == x.shape()[dims[0]];
  require(
      are_of_dim, Code::shape,
      "weights {} do not fit {}; they have its shape, or are one number for each element of the one dim that "
      "is folded",
      weights.type(), x.type());
  return broadcast_in_dim(weights, x.shape(), {dims[0].index});
}

}  // namespace

Array average(const Operand& x, const WhichDims& dims, const AverageOptions& options) {
  return front_end("average", x.where(), [&] {
    const Array given = as_array(x);
    if (!options.weights) return mean(given, dims, {.keepdims = options.keepdims});
    const Dims folded = folded_dims(given, dims);
    const Array array = as_computed(given);
    const Array weights = weights_of(array, as_computed(*options.weights), folded);
    const Array total = reduce_sum(array * weights, folded);
    const Array found = total / reduce_sum(weights, folded);
    return with_kept_dims(in_half_of(given, found), given, folded, options.keepdims);
  });
}

Array variance(const Operand& x, const WhichDims& dims, const VarianceOptions& options) {
  return front_end("variance", x.where(), [&] {
    Array array = as_array(x);
    Dims folded = folded_dims(array, dims);
    const Array found = in_half_of(array, variance_over(array, folded, options.ddof));
    return with_kept_dims(found, array, folded, options.keepdims);
  });
}

Array stddev(const Operand& x, const WhichDims& dims, const VarianceOptions& options) {
  return front_end("stddev", x.where(), [&] {
    Array array = as_array(x);
    Dims folded = folded_dims(array, dims);
    const Array found = in_half_of(array, sqrt(variance_over(array, folded, options.ddof)));
    return with_kept_dims(found, array, folded, options.keepdims);
  });
}

Array standardize(const Operand& x, const WhichDims& dims, double epsilon) {
  return front_end("standardize", x.where(), [&] {
    Array array = as_array(x);
    DType own = array.dtype();
    require(!is_complex(own), Code::dtype,
            "{} is complex; standardize its parts: standardize(real(x)), standardize(imag(x))", array.type());
    Dims folded = folded_dims(array, dims);
    Array away = away_from_mean(array, folded);
    Array found = away * spread_along(rsqrt(mean_over(away * away, folded) + epsilon), away, folded);
    return is_half(own) ? convert(found, own) : found;
  });
}

}  // namespace tutti
